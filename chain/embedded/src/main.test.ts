import type { ChildProcess } from 'node:child_process'
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

test('a ledger without its database says so in a sentence, at its start and later', async () => {
  const { code, errors } = await ledgers.fails({ DATABASE_URL: 'postgres://nobody@localhost:1/none' })
  expect([code, errors]).toEqual([
    1,
    expect.stringMatching(/^The ledger cannot start: the database cannot be reached: .+$/),
  ])
  const { child } = await ledgers.start()
  const [ended] = await Promise.all([
    once(child, 'exit'),
    onDatabase(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'accredit-ledger' and datname = current_database()`),
  ])
  expect(ended[0]).toBe(1)
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
  await untilBlocks(locked)
  await stop(child)
  await api.disconnect()
  await locked.end()
})

test.each([
  ['told to', (child: ChildProcess) => child.kill('SIGTERM')],
  ['left by its supervisor', (child: ChildProcess) => child.stdin?.end()],
])('a ledger that is %s ends in order', async (_why, end) => {
  const { child } = await ledgers.start({ ACCREDIT_SUPERVISED: '1' })
  end(child)
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
})

async function emptyExtrinsic(api: ApiPromise) {
  const nonce = await api.rpc.system.accountNextIndex(pair.address)
  return api.tx(api.createType('Call', forceBatch([]))).signAsync(pair, { nonce, era: 0 })
}

/** Blocks the writing of blocks as long as the returned connection lives; reading goes on. */
async function lockBlocks(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: scratch.url })
  await client.connect()
  await client.query('begin; lock table chain.blocks in exclusive mode')
  return client
}

/** Waits until somebody waits for the lock of this connection. */
async function untilBlocks(client: pg.Client): Promise<void> {
  const waiting = `select 1 from pg_locks join pg_database on pg_database.oid = database
    where not granted and datname = current_database()`
  while ((await client.query(waiting)).rows.length === 0) await new Promise((resolve) => setImmediate(resolve))
}

async function connect(url: string): Promise<ApiPromise> {
  return ApiPromise.create({ provider: await socketTo(url), noInitWarn: true })
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
}

async function onDatabase(statement: string) {
  const client = new pg.Client({ connectionString: scratch.url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
