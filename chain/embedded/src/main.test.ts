import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { forceBatch } from '@accredit/chain'
import { ApiPromise, WsProvider } from '@polkadot/api'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../../test/support/scratch-database.js'
import type { KeyPair } from './keys.js'
import { randomPair } from './testing/fee-payer.js'

const MAIN = new URL('./main.ts', import.meta.url).pathname

let scratch: ScratchDatabase
let folder: string
let pair: KeyPair
const running = new Set<ChildProcess>()

interface Ready {
  readonly child: ChildProcess
  readonly url: string
  readonly genesisHash: string
}

beforeAll(async () => {
  scratch = await scratchDatabase()
  folder = await mkdtemp(join(tmpdir(), 'ledger-'))
  pair = await randomPair()
})

afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
})

afterAll(async () => {
  await scratch.drop()
  await rm(folder, { recursive: true })
})

/** Moments of a block's life at which the ledger is killed. */
const moments = {
  'when the extrinsic has just arrived': (_told: Promise<unknown>, api: ApiPromise) => api.rpc.system.name(),
  'while the block waits to become durable': () => untilBlocked(),
  'as soon as it told of the block': (told: Promise<unknown>) => told,
} as const

test.each(Object.entries(moments))(
  'a ledger killed %s goes on with every block it told of',
  async (moment, killPoint) => {
    const first = await start()
    const api = await connect(first.url)
    const told: string[] = []
    for (let round = 0; round < 3; round += 1) told.push(await submitEmpty(api))
    const locked = moment.includes('durable') ? await lockBlocks() : undefined
    const last = submit(api, await emptyExtrinsic(api)).catch(() => undefined)
    await killPoint(last, api)
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    await api.disconnect()
    await locked?.end()
    if (moment.includes('told')) told.push((await last) ?? 'nothing')

    const second = await start()
    const again = await connect(second.url)
    for (const hash of told) expect((await again.rpc.chain.getBlock(hash)).block.extrinsics.length).toBe(2)
    await expectUnbrokenChain()
    told.push(await submitEmpty(again))
    expect(new Set(told).size).toBe(told.length)
    await again.disconnect()
    await stop(second.child)
  },
)

test('the same database and key file give the same chain, and another installation another', async () => {
  const first = await start()
  await stop(first.child)
  const second = await start()
  await stop(second.child)
  expect(second.genesisHash).toBe(first.genesisHash)
  const other = await scratchDatabase()
  const elsewhere = await start({ DATABASE_URL: other.url, LEDGER_KEY_FILE: join(folder, 'other.json') })
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
    await stop((await start(place)).child) // nothing was granted yet
    await on(
      `grant usage on schema ${schema} to ${role}; grant select on ${schema}.${columns.split(' ')[0]} to ${role}`,
    )
    const { code, errors } = await fails(place)
    await own.drop()
    await onDatabase(`drop role ${role}`)
    expect(code).toBe(1)
    expect(errors).toMatch(new RegExp(`^The ledger cannot start: the ${who} has seen a block 1000000 `))
    expect(errors).not.toMatch(/\n\s+at /)
  },
)

test('a ledger without its database says so in a sentence, at its start and later', async () => {
  const { code, errors } = await fails({ DATABASE_URL: 'postgres://nobody@localhost:1/none' })
  expect([code, errors]).toEqual([
    1,
    expect.stringMatching(/^The ledger cannot start: the database cannot be reached: .+\n$/),
  ])
  const { child } = await start()
  const [ended] = await Promise.all([
    once(child, 'exit'),
    onDatabase(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'accredit-ledger' and datname = current_database()`),
  ])
  expect(ended[0]).toBe(1)
  await stop((await start()).child)
})

test('a chain whose key file is lost gets no other keys, and says so in a sentence', async () => {
  await stop((await start()).child)
  const lost = join(folder, 'lost.json')
  const { code, errors } = await fails({ LEDGER_KEY_FILE: lost })
  expect([code, errors]).toEqual([
    1,
    `The ledger cannot start: the key file ${lost} of this chain is missing: restore it\n`,
  ])
})

test('a clock that is set for a test is refused outside of tests', async () => {
  const clock = join(folder, 'clock')
  await writeFile(clock, '1000')
  const { code, errors } = await fails({ CLOCK_OFFSET_FILE: clock })
  expect([code, errors]).toEqual([1, expect.stringContaining('ACCREDIT_TEST is not 1')])
})

test('a ledger whose database does not answer ends all the same when it is told to', async () => {
  const { child, url } = await start()
  const locked = await lockBlocks()
  const api = await connect(url)
  submit(api, await emptyExtrinsic(api)).catch(() => undefined)
  await untilBlocked()
  await stop(child)
  await api.disconnect()
  await locked.end()
})

test('a supervised ledger ends when its supervisor is gone', async () => {
  const { child } = await start({ ACCREDIT_SUPERVISED: '1' })
  child.stdin?.end()
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
})

/** Submits an extrinsic that does nothing, and returns the hash of the block in which it was when this was answered. */
async function submitEmpty(api: ApiPromise): Promise<string> {
  return submit(api, await emptyExtrinsic(api))
}

async function emptyExtrinsic(api: ApiPromise) {
  const nonce = await api.rpc.system.accountNextIndex(pair.address)
  return api.tx(api.createType('Call', forceBatch([]))).signAsync(pair, { nonce, era: 0 })
}

async function submit(api: ApiPromise, extrinsic: Awaited<ReturnType<typeof emptyExtrinsic>>): Promise<string> {
  await api.rpc.author.submitExtrinsic(extrinsic)
  return (await api.rpc.chain.getFinalizedHead()).toHex()
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

/** The package's own class does not fit the package's own interface under exactOptionalPropertyTypes. */
class Socket extends WsProvider {
  override clone(): Socket {
    return new Socket(this.endpoint, false)
  }

  override get ttl(): number | null {
    return super.ttl ?? null
  }
}

async function connect(url: string): Promise<ApiPromise> {
  const provider = new Socket(url, false) // without reconnecting: its ledger will be killed
  await provider.connect()
  return ApiPromise.create({ provider, noInitWarn: true })
}

async function expectUnbrokenChain(): Promise<void> {
  const rows = await onDatabase(`
    select count(*)::int as blocks, max(number) as head,
           count(*) filter (where number > 0 and substr(header, 1, 32) is distinct from parent)::int as broken
    from (select number, header, lag(hash) over (order by number) as parent from chain.blocks) linked`)
  const [{ blocks, head, broken }] = rows
  expect([blocks, broken]).toEqual([head + 1, 0])
}

async function start(environment: Record<string, string> = {}): Promise<Ready> {
  const child = launch(environment)
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    const message = JSON.parse(line)
    if (message.ready === 'ledger') return { child, url: message.url, genesisHash: message.genesisHash }
  }
  throw new Error('the ledger ended before it was ready')
}

async function fails(environment: Record<string, string>): Promise<{ code: number; errors: string }> {
  const child = launch(environment)
  let errors = ''
  child.stderr?.on('data', (data) => {
    errors += String(data)
  })
  const [code] = await once(child, 'exit')
  return { code, errors }
}

function launch(environment: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: scratch.url,
      LEDGER_KEY_FILE: join(folder, 'keys.json'),
      LEDGER_FEE_ACCOUNTS: pair.address,
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
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
