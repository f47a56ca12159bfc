import { join } from 'node:path'
import { createOrmConfig } from '@subsquid/typeorm-config'
import { escapeIdentifier } from 'pg'
import { DataSource, MigrationExecutor, type QueryRunner } from 'typeorm'
import type { Config } from './config'
import { applyFunctions } from './functions'
import { log } from './log'
import { emptyIndex, isOutdated, keepHeardHead } from './outdated-index'

/** The package's folder: the processor's libraries look for lib/model and db/migrations there. */
export const PROJECT_DIR = join(__dirname, '..')

type Target = Pick<Config, 'schema' | 'readers' | 'chainReader' | 'finality'>

/**
 * The lock of a process that changes tables and functions; its number may be any that no other program locks in our
 * database.
 */
export const SCHEMA_LOCK = 7_302_105

/**
 * Makes the schema, brings its tables and functions up to date and lets `readers` read them: in one transaction, and
 * one process after the other. An index whose tables are of another line of migrations is emptied, and read from the
 * chain again.
 */
export async function migrate(target: Target): Promise<void> {
  const source = new DataSource(createOrmConfig({ projectDir: PROJECT_DIR }))
  await source.initialize()
  const runner = source.createQueryRunner()
  try {
    await runner.startTransaction()
    await runner.query('SELECT pg_advisory_xact_lock($1)', [SCHEMA_LOCK])
    await makeSchema(runner, target.schema)
    await bringUpToDate(source, runner, target)
    await grant(runner, target)
    await runner.commitTransaction()
  } finally {
    // A transaction that did not come to its end is undone with its connection.
    await source.destroy()
  }
}

/** The creation of a schema that exists needs a right that a role of its own schema may lack. */
async function makeSchema(runner: QueryRunner, schema: string): Promise<void> {
  const there: unknown[] = await runner.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])
  if (there.length === 0) await runner.query(`CREATE SCHEMA ${escapeIdentifier(schema)}`)
}

async function bringUpToDate(source: DataSource, runner: QueryRunner, target: Target): Promise<void> {
  const migrations = new MigrationExecutor(source, runner)
  const isAnew = await isOutdated(source, migrations)
  const heard = isAnew ? await emptyIndex(runner) : []
  if (isAnew)
    log.warn(
      { schema: target.schema },
      'The index has the tables of another version: it is emptied and read from the chain again',
    )
  await migrations.executePendingMigrations()
  await keepHeardHead(runner, heard, target)
  await applyFunctions(runner)
}

/**
 * The ledger's own role reads the one table that tells how far the index is: a ledger that has less was restored from a
 * copy.
 */
async function grant(runner: QueryRunner, { schema: name, readers, chainReader }: Target): Promise<void> {
  const schema = escapeIdentifier(name)
  for (const reader of readers) {
    const role = escapeIdentifier(reader)
    await runner.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`)
    await runner.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`)
    await runner.query(`ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT ON TABLES TO ${role}`)
  }
  if (chainReader === undefined) return
  const role = escapeIdentifier(chainReader)
  await runner.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`)
  await runner.query(`GRANT SELECT ON finality TO ${role}`)
}
