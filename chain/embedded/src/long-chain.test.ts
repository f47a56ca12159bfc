import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../../test/support/scratch-database.js'
import { type LedgerKeys, randomKeys } from './keys.js'
import { openLedger } from './open-ledger.js'
import { readHeader } from './runtime/header.js'
import type { StoredBlock } from './store/store.js'
import { emptyBlocks, emptyDraft, storeBlocks } from './testing/empty-blocks.js'

const BLOCKS = Number(process.env.SOAK_LEDGER_BLOCKS ?? 3_000)

let scratch: ScratchDatabase
let keys: LedgerKeys

beforeAll(async () => {
  scratch = await scratchDatabase()
  keys = randomKeys()
})

afterAll(async () => {
  await scratch.drop()
})

test('opening a long chain reads no more rows than opening a short one, within three seconds of work, and the runtime goes on from it', {
  timeout: 60_000 + BLOCKS * 50,
}, async () => {
  const settings = { databaseUrl: scratch.url, keys }
  const first = await openLedger(settings)
  const draft = await emptyDraft(first.ledger.chain)
  await first.ledger.chain.append(draft.block, draft.changes)
  const runtime = await first.ledger.chain.runtimeAt(0)
  await first.close()
  const short = await rowsReadBy(async () => (await openLedger(settings)).close())

  await storeBlocks(scratch.url, emptyBlocks(draft.block, runtime, BLOCKS))
  const long = await rowsReadBy(async () => (await openLedger(settings)).close())
  expect(long).toBeLessThanOrEqual(short)

  const [started, worked] = [performance.now(), process.cpuUsage()]
  const opened = await openLedger(settings)
  const seconds = (performance.now() - started) / 1_000
  // The time of other work on this machine does not count.
  const { user, system } = process.cpuUsage(worked)
  expect((user + system) / 1_000_000).toBeLessThan(3)
  const { chain } = opened.ledger
  expect(chain.head.number).toBe(draft.block.number + BLOCKS)
  const [expected] = emptyBlocks(chain.head, runtime, 1)
  const { block } = await emptyDraft(chain)
  expect(withoutStateRoot(block)).toEqual(expected && withoutStateRoot(expected.block))
  await opened.ledger.producer.produce()
  expect(chain.head.number).toBe(draft.block.number + BLOCKS + 1)
  console.log(`ledger: ${BLOCKS} blocks, opened in ${seconds.toFixed(2)} s, reading ${long} rows`)
  await opened.close()
})

/** Counts the rows of the chain's tables that ended connections have read meanwhile. */
async function rowsReadBy(work: () => Promise<unknown>): Promise<number> {
  const client = new pg.Client({ connectionString: scratch.url })
  await client.connect()
  try {
    await untilAlone(client)
    const before = await rowsRead(client)
    await work()
    await untilAlone(client)
    return (await rowsRead(client)) - before
  } finally {
    await client.end()
  }
}

async function rowsRead(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ read: string }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as read from pg_stat_user_tables where schemaname = 'chain'`,
  )
  return Number(rows[0]?.read ?? 0)
}

/** A connection's counts are there when it is gone. */
async function untilAlone(client: pg.Client): Promise<void> {
  const others = `select from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
  while ((await client.query(others)).rows.length > 0) await new Promise((resolve) => setImmediate(resolve))
}

/** The state roots of an embedded ledger are not those of a trie. */
function withoutStateRoot({ header, extrinsics }: StoredBlock) {
  const { stateRoot: _, ...rest } = readHeader(header)
  return { extrinsics, ...rest }
}
