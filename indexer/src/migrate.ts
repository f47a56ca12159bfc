import { join } from 'node:path'
import { createOrmConfig } from '@subsquid/typeorm-config'
import { Client } from 'pg'
import { DataSource } from 'typeorm'

/** The package's folder: the processor's libraries look for lib/model and db/migrations there. */
export const PROJECT_DIR = join(__dirname, '..')

/**
 * Makes schema `ledger` and brings its tables up to date, then lets `readers` read them. `chainReader`, the ledger's
 * own role, reads the one table that tells how far the index is: a ledger that has less was restored from a copy.
 *
 * @param databaseUrl with `search_path=ledger`
 */
export async function migrate(databaseUrl: string, readers: string[], chainReader?: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const { rowCount } = await client.query(`SELECT 1 FROM pg_namespace WHERE nspname = 'ledger'`)
    // Asking for a schema that is there needs a right that a role of its own schema may lack.
    if (rowCount === 0) await client.query('CREATE SCHEMA IF NOT EXISTS ledger')
  })
  const source = new DataSource(createOrmConfig({ projectDir: PROJECT_DIR }))
  await source.initialize()
  try {
    await source.runMigrations({ transaction: 'all' })
  } finally {
    await source.destroy()
  }
  await withClient(databaseUrl, async (client) => {
    await grant(client, readers)
    if (chainReader !== undefined) await grantToChain(client, chainReader)
  })
}

async function grant(client: Client, readers: string[]): Promise<void> {
  for (const reader of readers) {
    const role = client.escapeIdentifier(reader)
    await client.query(`GRANT USAGE ON SCHEMA ledger TO ${role}`)
    await client.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ledger TO ${role}`)
    await client.query(`ALTER DEFAULT PRIVILEGES IN SCHEMA ledger GRANT SELECT ON TABLES TO ${role}`)
  }
}

async function grantToChain(client: Client, chainReader: string): Promise<void> {
  const role = client.escapeIdentifier(chainReader)
  await client.query(`GRANT USAGE ON SCHEMA ledger TO ${role}`)
  await client.query(`GRANT SELECT ON ledger.finality TO ${role}`)
}

async function withClient<T>(databaseUrl: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
