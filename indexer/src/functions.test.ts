import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DataSource, type QueryRunner } from 'typeorm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../test/support/scratch-database'
import { applyFunctions } from './functions'

let database: ScratchDatabase
let source: DataSource
let runner: QueryRunner
let folder: string

beforeEach(async () => {
  database = await scratchDatabase()
  source = new DataSource({ type: 'postgres', url: `${database.url}?options=-c%20search_path%3Dledger` })
  await source.initialize()
  runner = source.createQueryRunner()
  await runner.query('CREATE SCHEMA ledger; CREATE TABLE fact (id int)')
  folder = await mkdtemp(join(tmpdir(), 'functions-'))
})

afterEach(async () => {
  await source.destroy()
  await database.drop()
  await rm(folder, { recursive: true })
})

const write = (name: string, text: string) => writeFile(join(folder, `${name}.sql`), text)

const telling = (name: string, number: number) =>
  `CREATE OR REPLACE FUNCTION ${name}() RETURNS int LANGUAGE sql AS $$ SELECT ${number} $$;`

const onFacts = (name: string) =>
  `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'called'; END $$;
   CREATE OR REPLACE TRIGGER ${name} AFTER INSERT ON fact FOR EACH STATEMENT EXECUTE FUNCTION ${name}();`

async function apply(): Promise<void> {
  await runner.startTransaction()
  try {
    await applyFunctions(runner, folder)
    await runner.commitTransaction()
  } catch (cause) {
    await runner.rollbackTransaction()
    throw cause
  }
}

/** Returns each function's number in the catalogue, and the transaction that wrote it last, by name. */
async function made(): Promise<Record<string, { oid: number; written: string }>> {
  const rows: { name: string; oid: number; written: string }[] = await runner.query(
    `SELECT proname AS name, oid, xmin::text AS written FROM pg_proc WHERE pronamespace = 'ledger'::regnamespace`,
  )
  return Object.fromEntries(rows.map(({ name, ...one }) => [name, one]))
}

test('a function with a changed text is replaced in place, any other is left alone', async () => {
  await write('changing', telling('changing', 1))
  await write('staying', telling('staying', 1))
  await apply()
  await runner.query('REVOKE EXECUTE ON FUNCTION changing() FROM PUBLIC')
  const before = await made()

  await write('changing', telling('changing', 2))
  await apply()
  const after = await made()
  expect(await runner.query('SELECT changing(), staying()')).toEqual([{ changing: 2, staying: 1 }])
  expect(after.changing?.oid).toBe(before.changing?.oid)
  expect(after.staying).toEqual(before.staying)
  const [granted] = await runner.query(`SELECT has_function_privilege('public', 'changing()', 'execute') AS everybody`)
  expect(granted).toEqual({ everybody: false })
})

test('a function whose file is gone is dropped with its triggers, whether its text was written down or not', async () => {
  await write('staying', telling('staying', 1))
  await write('going', onFacts('going'))
  await apply()
  await runner.query(onFacts('unknown'))
  await expect(runner.query('INSERT INTO fact VALUES (1)')).rejects.toThrow('called')

  await rm(join(folder, 'going.sql'))
  await apply()
  expect(Object.keys(await made())).toEqual(['staying'])
  await runner.query('INSERT INTO fact VALUES (1)')
})

test('functions of other schemas stay', async () => {
  await runner.query(`CREATE SCHEMA service; ${telling('service.theirs', 3)}`)
  await write('ours', telling('ours', 1))
  await apply()
  expect(await runner.query('SELECT service.theirs()')).toEqual([{ theirs: 3 }])
})

test('a function that somebody dropped is made again', async () => {
  await write('staying', telling('staying', 1))
  await apply()
  await runner.query('DROP FUNCTION staying()')
  await apply()
  expect(await runner.query('SELECT staying()')).toEqual([{ staying: 1 }])
})

test('a function that gets other parameters under its old name is refused, and nothing is changed', async () => {
  await write('one', telling('one', 1))
  await apply()
  await write('one', 'CREATE OR REPLACE FUNCTION one(p int) RETURNS int LANGUAGE sql AS $$ SELECT p $$;')
  await expect(apply()).rejects.toThrow('one whose parameters change gets another name. Found: one(integer)')
  expect(await runner.query('SELECT one()')).toEqual([{ one: 1 }])
})

test('a file that makes another function than the one of its name is refused', async () => {
  await write('one', telling('two', 1))
  await expect(apply()).rejects.toThrow('Found: no one, two()')
})
