import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Stack } from '../start/stack.js'
import { connect } from '../tour/client.js'
import { makeBlocks } from './audit.js'
import type { Measured } from './measure.js'
import { processorMeter } from './processor-time.js'
import { withSecondIndex } from './second-index.js'

const BLOCKS = 3_000
/** The first blocks are slower: code is cold, and the types of the runtime are read. */
const COLD_SHARE = 0.1
/** The ledger reads its blocks from the disk in the first one. */
const ROUNDS = 3

/** Makes a chain, and measures several times how fast an index follows it. */
export async function measureCatchUp(
  stack: Stack,
  projectRoot: string,
  print: (measured: Measured) => void,
): Promise<void> {
  await makeBlocks(connect(stack.apiUrl, stack.apiKey), stack.databaseUrl, BLOCKS)
  for (let round = 1; round <= ROUNDS; round++) print(await indexAgain(stack, projectRoot))
}

/** A second indexer, on an empty database, follows the whole chain again, up to the head. */
function indexAgain(stack: Stack, projectRoot: string): Promise<Measured> {
  const { databaseUrl, ledgerUrl } = stack
  return withSecondIndex({ projectRoot, databaseUrl, ledgerUrl, finality: 'instant' }, async (second) => {
    const index = new pg.Client({ connectionString: second.databaseUrl })
    await index.connect()
    const meter = processorMeter(() => ({ ...stack.pids(), indexer: second.pid }))
    try {
      const first = await reached(index, BLOCKS * COLD_SHARE)
      const [begun, metered] = [performance.now(), meter()]
      const last = await reached(index, BLOCKS)
      const seconds = (performance.now() - begun) / 1000
      const processorTime = metered(last - first)
      await second.height
      return {
        title: 'Blocks indexed again, from a tenth of the chain to its head',
        wanted: '2,000/s',
        count: last - first,
        perSecond: (last - first) / seconds,
        p50: 0,
        p95: 0,
        processorTime,
      }
    } finally {
      await index.end()
    }
  })
}

/** Returns the height of the index as soon as it is at least so high. */
async function reached(index: pg.Client, height: number): Promise<number> {
  const isMade = async () => {
    const { rows } = await index.query<{ made: string | null }>(`select to_regclass('ledger.block')::text as made`)
    return rows[0]?.made !== null
  }
  while (!(await isMade())) await pause(20)
  for (;;) {
    const { rows } = await index.query<{ last: number | null }>('select max(height) as last from ledger.block')
    const last = rows[0]?.last ?? 0
    if (last >= height) return last
    // The questions take of the processors what they measure.
    await pause(20)
  }
}
