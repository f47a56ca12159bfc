import type { Stack } from '../start/stack.js'
import { connect } from '../tour/client.js'
import { makeBlocks } from './audit.js'
import { indexAgain } from './index-again.js'
import type { Measured } from './measure.js'
import { type ProcessorTime, processorMeter } from './processor-time.js'

const BLOCKS = 3_000

/** A second indexer, on an empty database, follows the whole chain again, up to the head. */
export async function measureCatchUp(stack: Stack, projectRoot: string): Promise<Measured> {
  const { databaseUrl, ledgerUrl } = stack
  await makeBlocks(connect(stack.apiUrl, stack.apiKey), databaseUrl, BLOCKS)
  let processorTime: ProcessorTime = {}
  const { count, seconds } = await indexAgain(
    { projectRoot, databaseUrl, ledgerUrl, finality: 'instant', blocks: BLOCKS },
    (indexer) => {
      const metered = processorMeter(() => ({ ...stack.pids(), indexer }))()
      return (blocks) => {
        processorTime = metered(blocks)
      }
    },
  )
  return {
    title: 'Blocks indexed again, from a tenth of the chain to its head',
    wanted: '2,000/s',
    count,
    perSecond: count / seconds,
    p50: 0,
    p95: 0,
    processorTime,
  }
}
