import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forceBatch } from '@accredit/chain'
import { ApiPromise } from '@polkadot/api'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../../test/support/scratch-database.js'
import type { KeyPair } from './keys.js'
import { randomPair } from './testing/fee-payer.js'
import { LedgerProcesses, socketTo } from './testing/ledger-process.js'

let scratch: ScratchDatabase
let folder: string
let pair: KeyPair
let ledgers: LedgerProcesses

beforeAll(async () => {
  scratch = await scratchDatabase()
  folder = await mkdtemp(join(tmpdir(), 'ledger-'))
  pair = await randomPair()
  ledgers = new LedgerProcesses({
    DATABASE_URL: scratch.url,
    LEDGER_KEY_FILE: join(folder, 'keys.json'),
    LEDGER_FEE_ACCOUNTS: pair.address,
  })
})

afterEach(() => {
  ledgers.killAll()
})

afterAll(async () => {
  await scratch.drop()
  await rm(folder, { recursive: true })
})

test('the same database and key file give the same chain, and another installation another', async () => {
  const first = await ledgers.start()
  await stop(first.child)
  const second = await ledgers.start()
  await stop(second.child)
  expect(second.genesisHash).toBe(first.genesisHash)
  const other = await scratchDatabase()
  const elsewhere = await ledgers.start({ DATABASE_URL: other.url, LEDGER_KEY_FILE: join(folder, 'other.json') })
  expect(elsewhere.genesisHash).not.toBe(first.genesisHash)
  await stop(elsewhere.child)
  await other.drop()
})

test.each([
  ['index', 'ledger', 'finality (height integer, hash text)', `'0x${'ab'.repeat(32)}'`],
  ['signer', 'signer', 'ledger (height bigint, hash bytea)', `'\\x${'ab'.repeat(32)}'`],
])(
  'a ledger that the %s has seen more of says so and does not start, each with a role of its own',
  async (who, schema, columns, hash) => {
    const own = await scratchDatabase()
    const role = `chain_${randomBytes(6).toString('hex')}`
    const on = (statement: string) => onDatabase(statement, own.url)
    await on(
      `create role ${role} login password '${role}'; grant create on database ${new URL(own.url).pathname.slice(1)} to ${role}`,
    )
    const place = { DATABASE_URL: asRole(own.url, role), LEDGER_KEY_FILE: join(folder, `${role}.json`) }
    await on(`create schema ${schema}; create table ${schema}.${columns};
    insert into ${schema}.${columns.split(' ')[0]} values (1000000, ${hash})`)
    await stop((await ledgers.start(place)).child) // nothing was granted yet
    await on(
      `grant usage on schema ${schema} to ${role}; grant select on ${schema}.${columns.split(' ')[0]} to ${role}`,
    )
    const { code, errors } = await ledgers.fails(place)
    await own.drop()
    await onDatabase(`drop role ${role}`)
    expect(code).toBe(1)
    expect(errors).toMatch(new RegExp(`^The ledger cannot start: the ${who} has seen a block 1000000 `))
    expect(errors).not.toMatch(/\n\s+at /)
  },
)

test('a ledger without its database says so in a sentence, at its start and later', async () => {
  const { code, errors } = await ledgers.fails({ DATABASE_URL: 'postgres://nobody@localhost:1/none' })
  expect([code, errors]).toEqual([
    1,
    expect.stringMatching(/^The ledger cannot start: the database cannot be reached: .+\n$/),
  ])
  const { child } = await ledgers.start()
  const [ended] = await Promise.all([
    once(child, 'exit'),
    onDatabase(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'accredit-ledger' and datname = current_database()`),
  ])
  expect(ended[0]).toBe(1)
  await stop((await ledgers.start()).child)
})

test('a chain whose key file is lost gets no other keys, and says so in a sentence', async () => {
  await stop((await ledgers.start()).child)
  const lost = join(folder, 'lost.json')
  const { code, errors } = await ledgers.fails({ LEDGER_KEY_FILE: lost })
  expect([code, errors]).toEqual([
    1,
    expect.stringContaining(
      `The ledger cannot start: the key file ${lost} of this chain is missing. Without its own keys`,
    ),
  ])
  expect(errors).not.toMatch(/\n\s+at /)
})

test('a chain is not opened with the key file of another installation', async () => {
  const other = await scratchDatabase()
  const foreign = join(folder, 'foreign.json')
  await stop((await ledgers.start({ DATABASE_URL: other.url, LEDGER_KEY_FILE: foreign })).child)
  await other.drop()
  await stop((await ledgers.start()).child)
  const { code, errors } = await ledgers.fails({ LEDGER_KEY_FILE: foreign })
  expect([code, errors]).toEqual([
    1,
    expect.stringContaining(`The ledger cannot start: the key file ${foreign} holds the keys of another chain.`),
  ])
  await stop((await ledgers.start()).child)
})

test('a clock that is set for a test is refused outside of tests', async () => {
  const clock = join(folder, 'clock')
  await writeFile(clock, '1000')
  const { code, errors } = await ledgers.fails({ CLOCK_OFFSET_FILE: clock })
  expect([code, errors]).toEqual([1, expect.stringContaining('ACCREDIT_TEST is not 1')])
})

test('a ledger whose database does not answer ends all the same when it is told to', async () => {
  const { child, url } = await ledgers.start()
  const locked = await lockBlocks()
  const api = await connect(url)
  api.rpc.author.submitExtrinsic(await emptyExtrinsic(api)).catch(() => undefined)
  await untilBlocked()
  await stop(child)
  await api.disconnect()
  await locked.end()
})

test('a supervised ledger ends when its supervisor is gone', async () => {
  const { child } = await ledgers.start({ ACCREDIT_SUPERVISED: '1' })
  child.stdin?.end()
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
})

async function emptyExtrinsic(api: ApiPromise) {
  const nonce = await api.rpc.system.accountNextIndex(pair.address)
  return api.tx(api.createType('Call', forceBatch([]))).signAsync(pair, { nonce, era: 0 })
}

/** As long as the returned connection lives, no block can be written; reading goes on. */
async function lockBlocks(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: scratch.url })
  await client.connect()
  await client.query('begin; lock table chain.blocks in exclusive mode')
  return client
}

async function untilBlocked(): Promise<void> {
  const waiting = `select 1 from pg_locks join pg_database on pg_database.oid = database
    where not granted and datname = current_database()`
  while ((await onDatabase(waiting)).length === 0) await new Promise((resolve) => setImmediate(resolve))
}

async function connect(url: string): Promise<ApiPromise> {
  return ApiPromise.create({ provider: await socketTo(url), noInitWarn: true })
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
}

function asRole(databaseUrl: string, role: string): string {
  const url = new URL(databaseUrl)
  url.username = role
  url.password = role
  return url.href
}

async function onDatabase(statement: string, databaseUrl = scratch.url) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
