import pg from 'pg'
import type { ScratchDatabase } from './scratch-database.js'

/**
 * The indexes of a schema that no statement of the service's roles has used, but for those that keep rows apart, which is
 * their use. A connection tells Postgres what it did when it ends, and else some seconds later: the roles' connections are
 * ended, and their pools open others.
 */
export async function unusedIndexes(
  { adminUrl, tenantUrl, systemUrl }: Pick<ScratchDatabase, 'adminUrl' | 'tenantUrl' | 'systemUrl'>,
  schema: string,
): Promise<string[]> {
  const admin = new pg.Client({ connectionString: adminUrl })
  await admin.connect()
  try {
    const roles = [tenantUrl, systemUrl].map((url) => new URL(url).username)
    await admin.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and usename = any($1)`,
      [roles],
    )
    const { rows } = await admin.query<{ name: string }>(
      `select i.indexrelname as name from pg_stat_user_indexes i join pg_index x on x.indexrelid = i.indexrelid
       where i.schemaname = $1 and not x.indisunique and i.idx_scan = 0 order by 1`,
      [schema],
    )
    return rows.map(({ name }) => name)
  } finally {
    await admin.end()
  }
}
