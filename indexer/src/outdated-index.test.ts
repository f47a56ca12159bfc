import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { TypeormDatabase } from '@subsquid/typeorm-store'
import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../test/support/scratch-database'
import { configOf } from './config'
import { migrate, PROJECT_DIR } from './migrate'
import { Node } from './node'
import { TestChain } from './testing/chain'
import { IndexProcess, projections } from './testing/index-process'

const SAYS = 'The index has the tables of another version: it is emptied and read from the chain again'
const NOBODY = 'ws://127.0.0.1:1'

/** The statements that make it an index at the last but one of the migrations that became one. */
const OLD_MIGRATIONS = `
  DELETE FROM ledger.migrations;
  INSERT INTO ledger.migrations (timestamp, name) SELECT 1795000000000 + n, 'Old' || (1795000000000 + n) FROM generate_series(1, 16) n`

/** The statements that give it a function that no longer exists, and drop the table that old indexes lacked. */
const OLD_FUNCTIONS = `
  DROP TABLE ledger.index_function;
  CREATE FUNCTION ledger.list_again(text[], text[]) RETURNS void LANGUAGE sql AS ''`

let database: ScratchDatabase
let client: pg.Client

beforeEach(async () => {
  database = await scratchDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await client.end()
  await database.drop()
})

async function migrated(readers: string[] = [], finality = 'instant'): Promise<void> {
  const config = configOf({ DATABASE_URL: database.url, LEDGER_URL: NOBODY, LEDGER_FINALITY: finality })
  vi.stubEnv('DB_URL', config.databaseUrl)
  await migrate({ ...config, readers })
}

async function functions(): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'ledger'::regnamespace ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}

const block = (height: number) =>
  `INSERT INTO ledger.block (id, height, hash, time, spec_version) VALUES ('${height}', ${height}, '0x0${height}', now(), 1)`
const heard = (height: number) =>
  `INSERT INTO ledger.finality (id, height, hash, seen_at) VALUES ('final', ${height}, '0x0${height}', now())`

test('an index at an earlier migration says so and is read from the chain again; other schemas stay', async () => {
  const chain = await TestChain.open(database.url)
  let index = await IndexProcess.start(database.url, chain.url)
  try {
    await index.reaches((await chain.createDid()).born)
    await index.stop()
    expect(index.said.join()).not.toContain(SAYS)
    const right = await projections(database.url)
    const made = await functions()
    await client.query(`${OLD_MIGRATIONS}; ${OLD_FUNCTIONS}; ALTER TABLE ledger.listing DROP COLUMN active_to`)
    await client.query('CREATE SCHEMA service; CREATE TABLE service.theirs AS SELECT 1 AS fact')

    index = await IndexProcess.start(database.url, chain.url)
    expect(index.said.join()).toContain(SAYS)
    expect(await projections(database.url)).toEqual(right)
    expect(await functions()).toEqual(made)
    expect((await client.query('SELECT behind_since FROM ledger.finality')).rows).toEqual([{ behind_since: null }])
    expect((await client.query('SELECT fact FROM service.theirs')).rows).toEqual([{ fact: 1 }])
  } finally {
    await index.stop()
    await chain.close()
  }
})

test('an index at the last of the squashed migrations keeps its rows, and gets today’s functions', async () => {
  await migrated()
  const made = await functions()
  await client.query(
    `${OLD_MIGRATIONS}; INSERT INTO ledger.migrations (timestamp, name) VALUES (1795000000017, 'ListingsOfADid1795000000017')`,
  )
  await client.query(`${OLD_FUNCTIONS}; ${block(0)}`)
  await migrated()
  expect((await client.query('SELECT height FROM ledger.block')).rows).toEqual([{ height: 0 }])
  expect(await functions()).toEqual(made)
})

test('an index of before migration 21 gets the block in which each key was revoked', async () => {
  await migrated()
  await client.query(`
    ALTER TABLE ledger.did_key DROP COLUMN revoked_block;
    DELETE FROM ledger.migrations WHERE name = 'RevokedKeys1795000000021'`)
  const keys = [
    // Revoked while in use; retired first; only retired; in use.
    [1, 4, 'revoked'],
    [2, 3, 'revoked'],
    [3, 3, 'retired'],
    [4, null, null],
  ] as const
  for (const [number, to, reason] of keys)
    await client.query(
      `INSERT INTO ledger.did_key (id, key, did, key_id, kind, public_key, relationships, from_block, to_block, end_reason)
       VALUES ($1::text, $1::text, 'did:svc:a', $2, 'Ed25519', '0x', 1, 1, $3, $4)`,
      [String(number), number, to, reason],
    )
  const events = [
    [3, 'Did.KeyRetired', 'did:svc:a', 2],
    [3, 'Did.KeyRetired', 'did:svc:a', 3],
    [4, 'Did.KeyRevoked', 'did:svc:a', 1],
    [5, 'Did.KeyRevoked', 'did:svc:a', 2],
    // The same number of another DID.
    [6, 'Did.KeyRevoked', 'did:svc:b', 1],
  ] as const
  for (const [index, [at, name, did, keyId]] of events.entries())
    await client.query(
      `INSERT INTO ledger.event (id, block, index, time, name, actor, subject, before) VALUES ($1, $2, $3, now(), $4, $5, $5, $6)`,
      [String(index), at, index, name, did, { keyId }],
    )
  await migrated()
  const { rows } = await client.query('SELECT revoked_block FROM ledger.did_key ORDER BY key_id')
  expect(rows.map((row) => row.revoked_block)).toEqual([4, 5, null, null])
})

test('readers may read tables and call functions of an index that was emptied', async () => {
  const role = `reader_${database.url.slice(-12)}`
  await client.query(`CREATE ROLE ${role}`)
  try {
    await migrated([role])
    await client.query(OLD_MIGRATIONS)
    await migrated([role])
    await client.query(`SET ROLE ${role}`)
    const { rows } = await client.query(
      `SELECT reason FROM ledger.listing RIGHT JOIN ledger.authorization_at('r', 's', 'd', 'issuer', 1) ON true`,
    )
    expect(rows).toEqual([{ reason: 'unknown_registry' }])
  } finally {
    await client.query(`RESET ROLE; DROP OWNED BY ${role}; DROP ROLE ${role}`)
  }
})

test('an emptied index is behind the known head until it has that block again', async () => {
  await migrated()
  await client.query(`${block(7)}; ${heard(7)}`)
  await client.query(OLD_MIGRATIONS)
  await migrated()
  expect((await client.query('SELECT height FROM ledger.block')).rows).toEqual([])

  // The store knows the compiled model.
  const { FinalityFollower }: typeof import('./finality') = await import(join(PROJECT_DIR, 'lib/finality.js'))
  const follower = new FinalityFollower(new Node(NOBODY), client, () => -1, 'instant')
  await client.query('SET search_path TO ledger')
  await follower.recall()
  const store = new TypeormDatabase({ projectDir: PROJECT_DIR, stateSchema: 'ledger' })
  try {
    const { height, hash } = await store.connect()
    const lag: number[] = []
    let prevHead = { height, hash }
    for (const nextHead of [6, 7].map((number) => ({ height: number, hash: `0x0${number}` }))) {
      await store.transact({ prevHead, nextHead }, (tables) => follower.indexed(tables, nextHead))
      const { rows } = await client.query(
        'SELECT height, coalesce(extract(epoch FROM now() - behind_since), 0)::float8 AS seconds FROM finality',
      )
      expect(rows[0]?.height).toBe(7)
      lag.push(rows[0]?.seconds)
      prevHead = nextHead
    }
    expect(lag[0]).toBeGreaterThan(365 * 24 * 3600)
    expect(lag[1]).toBe(0)
  } finally {
    await store.disconnect()
  }
})

test('an index of a network that was emptied takes no block for final that nobody told is', async () => {
  await migrated([], 'grandpa')
  await client.query(`${block(7)}; ${heard(7)}; ${OLD_MIGRATIONS}`)
  await migrated([], 'grandpa')
  const { rows } = await client.query('SELECT height, rule, settled_height FROM ledger.finality')
  expect(rows).toEqual([{ height: 7, rule: 'grandpa', settled_height: null }])
})

test('an outdated index that others built on is not emptied, and nothing of it is lost', async () => {
  await migrated()
  await client.query(`${OLD_MIGRATIONS}; ${block(0)}`)
  await client.query('CREATE SCHEMA service; CREATE VIEW service.blocks AS SELECT height FROM ledger.block')
  await expect(migrated()).rejects.toThrow('other objects depend on')
  expect((await client.query('SELECT height FROM service.blocks')).rows).toEqual([{ height: 0 }])
})

test('several indexers that start at once make one schema', async () => {
  await Promise.all(Array.from({ length: 4 }, () => migrated()))
  expect(await functions()).toContain('authorization_at')
  const migrations = await readdir(join(PROJECT_DIR, 'db/migrations'))
  expect((await client.query('SELECT name FROM ledger.migrations')).rows).toHaveLength(migrations.length)
})
