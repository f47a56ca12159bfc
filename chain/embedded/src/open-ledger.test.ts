import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../../test/support/scratch-database.js'
import { openLedger } from './open-ledger.js'

let scratch: ScratchDatabase
let other: ScratchDatabase
let folder: string

beforeAll(async () => {
  ;[scratch, other] = [await scratchDatabase(), await scratchDatabase()]
  folder = await mkdtemp(join(tmpdir(), 'ledger-'))
})

afterAll(async () => {
  await Promise.all([scratch.drop(), other.drop()])
  await rm(folder, { recursive: true })
})

test('the same database and key file give the same chain, another installation another, and none opens with the keys of another', async () => {
  const first = await openedOnce(scratch, 'keys')
  expect(await openedOnce(scratch, 'keys')).toBe(first)
  expect(await openedOnce(other, 'foreign')).not.toBe(first)
  await expect(openedOnce(scratch, 'foreign')).rejects.toThrow(
    `the key file ${join(folder, 'foreign')} holds the keys of another chain.`,
  )
  expect(await openedOnce(scratch, 'keys')).toBe(first)
})

test('a chain whose key file is lost gets no other keys', async () => {
  await openedOnce(scratch, 'keys')
  await expect(openedOnce(scratch, 'lost')).rejects.toThrow(
    `the key file ${join(folder, 'lost')} of this chain is missing. Without its own keys`,
  )
})

test.each([
  ['index', 'ledger', 'finality (height integer, hash text)', `'0x${'ab'.repeat(32)}'`],
  ['signer', 'signer', 'ledger (height bigint, hash bytea)', `'\\x${'ab'.repeat(32)}'`],
])(
  'a ledger that the %s has seen more of says so and does not open, each with a role of its own',
  async (who, schema, columns, hash) => {
    const own = await scratchDatabase()
    const role = `chain_${randomBytes(6).toString('hex')}`
    const [table] = columns.split(' ')
    const place = { ...own, url: Object.assign(new URL(own.url), { username: role, password: role }).href }
    await onDatabase(
      own,
      `create role ${role} login password '${role}'; grant create on database ${new URL(own.url).pathname.slice(1)} to ${role};
       create schema ${schema}; create table ${schema}.${columns}; insert into ${schema}.${table} values (1000000, ${hash})`,
    )
    await openedOnce(place, role) // nothing was granted yet
    await onDatabase(own, `grant usage on schema ${schema} to ${role}; grant select on ${schema}.${table} to ${role}`)
    await expect(openedOnce(place, role)).rejects.toThrow(`the ${who} has seen a block 1000000 `)
    await own.drop()
    await onDatabase(scratch, `drop role ${role}`)
  },
)

/** Opens the ledger of a database with a key file and closes it; returns its genesis hash. */
async function openedOnce({ url }: ScratchDatabase, keyFile: string): Promise<string> {
  const { genesisHash, close } = await openLedger({ databaseUrl: url, keys: { file: join(folder, keyFile) } })
  await close()
  return genesisHash
}

async function onDatabase({ url }: ScratchDatabase, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
