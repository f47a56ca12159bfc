import { join } from 'node:path'
import { createOrmConfig } from '@subsquid/typeorm-config'
import { Client } from 'pg'
import { DataSource } from 'typeorm'
import type { Config } from './config'

/** The package's folder: the processor's libraries look for lib/model and db/migrations there. */
export const PROJECT_DIR = join(__dirname, '..')

type Target = Pick<Config, 'databaseUrl' | 'schema' | 'readers' | 'chainReader'>

/**
 * Makes the schema and brings its tables up to date, then lets `readers` read them. `chainReader`, the ledger's
 * own role, reads the one table that tells how far the index is: a ledger that has less was restored from a copy.
 */
export async function migrate({ databaseUrl, schema, readers, chainReader }: Target): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])
    // Asking for a schema that is there needs a right that a role of its own schema may lack.
    if (rowCount === 0) await client.query(`CREATE SCHEMA IF NOT EXISTS ${client.escapeIdentifier(schema)}`)
  })
  const source = new DataSource(createOrmConfig({ projectDir: PROJECT_DIR }))
  await source.initialize()
  try {
    await source.runMigrations({ transaction: 'all' })
  } finally {
    await source.destroy()
  }
  await withClient(databaseUrl, async (client) => {
    await grant(client, schema, readers)
    if (chainReader !== undefined) await grantToChain(client, schema, chainReader)
  })
}

async function grant(client: Client, name: string, readers: string[]): Promise<void> {
  const schema = client.escapeIdentifier(name)
  for (const reader of readers) {
    const role = client.escapeIdentifier(reader)
    await client.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`)
    await client.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`)
    await client.query(`ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT ON TABLES TO ${role}`)
  }
}

async function grantToChain(client: Client, name: string, chainReader: string): Promise<void> {
  const schema = client.escapeIdentifier(name)
  const role = client.escapeIdentifier(chainReader)
  await client.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`)
  await client.query(`GRANT SELECT ON finality TO ${role}`)
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
