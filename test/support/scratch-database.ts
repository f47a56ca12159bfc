import { randomBytes } from 'node:crypto'
import pg from 'pg'

export interface ScratchDatabase {
  readonly url: string
  /** Ends every connection to it and removes it. */
  drop(): Promise<void>
}

const ADMIN_URL = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'

/** A database for one test file, on the Postgres of TEST_DATABASE_URL: empty, or a copy of one that nobody uses now. */
export async function scratchDatabase(template = 'template0'): Promise<ScratchDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await asAdmin(`create database ${name} encoding 'UTF8' template ${template}`)
  const url = new URL(ADMIN_URL)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => asAdmin(`drop database if exists ${name} with (force)`) }
}

async function asAdmin(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: ADMIN_URL })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
