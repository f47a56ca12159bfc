import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import type { QueryRunner } from 'typeorm'

const FOLDER = join(__dirname, '../db/functions')

interface SqlFile {
  /** The file and the one function that it makes have the same name. */
  name: string
  /** The statements that make the function, and the triggers that call it. */
  text: string
  sha256: string
}

interface SqlFunction {
  name: string
  /** The name with the types of its parameters. */
  signature: string
}

/** Functions of an extension are not the index's, in whatever schema it put them. */
const FUNCTIONS = `
  SELECT p.proname AS name, p.oid::regprocedure::text AS signature FROM pg_proc p
  WHERE p.pronamespace = current_schema()::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e')
  ORDER BY p.proname`

const TRIGGERS = `
  SELECT format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass) AS statement
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  WHERE t.tgfoid = $1::regprocedure AND NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace`

/**
 * Gives the connection's schema the functions of `folder`, in the runner's transaction: those with a changed text are
 * replaced, and those without a file are dropped with their triggers. A function that is replaced keeps its grants, and
 * statements that run meanwhile find it.
 *
 * @throws when a file makes another function than the one that it is named for, or the same with other parameters
 */
export async function applyFunctions(runner: QueryRunner, folder = FOLDER): Promise<void> {
  await runner.query('CREATE TABLE IF NOT EXISTS index_function (name text PRIMARY KEY, sha256 text NOT NULL)')
  // Bodies name the schema that everybody reads, which this one may only become later.
  await runner.query('SET LOCAL check_function_bodies = off')
  const files = await filesOf(folder)
  const made = await functionsOf(runner)
  for (const one of made.filter(({ name }) => !files.some((file) => file.name === name))) await drop(runner, one)
  await runner.query('DELETE FROM index_function WHERE name <> ALL ($1)', [files.map(({ name }) => name)])
  const digests = await digestsOf(runner)
  for (const { name, text, sha256 } of files) {
    if (digests.get(name) === sha256 && made.some((one) => one.name === name)) continue
    await runner.query(text)
    await runner.query(
      'INSERT INTO index_function (name, sha256) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256',
      [name, sha256],
    )
  }
  requireOneEach(files, await functionsOf(runner))
}

/** Drops all functions of the connection's schema. */
export async function dropFunctions(runner: QueryRunner): Promise<void> {
  for (const one of await functionsOf(runner)) await drop(runner, one)
}

async function filesOf(folder: string): Promise<SqlFile[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file) => {
      const { name } = parse(file)
      const text = await readFile(join(folder, file), 'utf8')
      return { name, text, sha256: createHash('sha256').update(`${name}\n${text}`).digest('hex') }
    }),
  )
}

function functionsOf(runner: QueryRunner): Promise<SqlFunction[]> {
  return runner.query(FUNCTIONS)
}

/** Returns the digests of the texts that made them, by name. */
async function digestsOf(runner: QueryRunner): Promise<Map<string, string>> {
  const rows: Pick<SqlFile, 'name' | 'sha256'>[] = await runner.query('SELECT name, sha256 FROM index_function')
  return new Map(rows.map(({ name, sha256 }) => [name, sha256]))
}

async function drop(runner: QueryRunner, { signature }: SqlFunction): Promise<void> {
  const triggers: { statement: string }[] = await runner.query(TRIGGERS, [signature])
  for (const { statement } of triggers) await runner.query(statement)
  await runner.query(`DROP ROUTINE ${signature}`)
}

function requireOneEach(files: SqlFile[], made: SqlFunction[]): void {
  const missing = files.filter((file) => !made.some(({ name }) => name === file.name))
  const extra = made.filter(
    ({ name }, position) => !files.some((file) => file.name === name) || made[position - 1]?.name === name,
  )
  if (missing.length === 0 && extra.length === 0) return
  const names = [...missing.map(({ name }) => `no ${name}`), ...extra.map(({ signature }) => signature)].join(', ')
  throw new Error(
    `A file of db/functions makes one function, of its own name; one whose parameters change gets another name. Found: ${names}`,
  )
}
