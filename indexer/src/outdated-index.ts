import type { DataSource, MigrationExecutor, QueryRunner } from 'typeorm'
import type { Config } from './config'
import { dropFunctions } from './functions'

/** The final head that an index had heard of. */
interface HeardHead {
  height: number
  hash: string
  seen_at: Date
}

const TABLES = `
  SELECT string_agg(c.oid::regclass::text, ', ') AS names FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'`

/** An index is outdated when it has run migrations, and none of the present ones: its tables are of another line. */
export async function isOutdated({ migrations: all }: DataSource, migrations: MigrationExecutor): Promise<boolean> {
  const executed = await migrations.getExecutedMigrations()
  const pending = await migrations.getPendingMigrations()
  return executed.length > 0 && pending.length === all.length
}

/**
 * Drops the content of the connection's schema, which all comes from the chain. Objects of others that depend on it, in
 * schemas of their own, stay, and keep it from being dropped.
 *
 * @returns what `keepHeardHead` writes when the tables are there again
 */
export async function emptyIndex(runner: QueryRunner): Promise<HeardHead[]> {
  const heard: HeardHead[] = await runner.query('SELECT height, hash, seen_at FROM finality')
  const [tables]: { names: string }[] = await runner.query(TABLES)
  await runner.query(`DROP TABLE ${tables?.names}`)
  await dropFunctions(runner)
  return heard
}

/**
 * The head stays known while the chain is read again: a ledger that has less was restored from a copy, and until the
 * index is there readers take it for one that lags, however little was read.
 */
export async function keepHeardHead(
  runner: QueryRunner,
  heard: HeardHead[],
  { finality }: Pick<Config, 'finality'>,
): Promise<void> {
  for (const { height, hash, seen_at } of heard) {
    await runner.query(
      `INSERT INTO finality (id, height, hash, rule, seen_at, behind_since)
       VALUES ('final', $1, $2, $3, $4, to_timestamp(0))`,
      [height, hash, finality, seen_at],
    )
  }
}
