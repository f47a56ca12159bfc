import {
  type BlockHeader,
  type DataHandlerContext,
  type Event,
  SubstrateBatchProcessor,
} from '@subsquid/substrate-processor'
import type { Config } from './config'
import { handlers } from './events'
import { fetchBlocksInBatches } from './fetch-blocks-in-batches'

const FIELDS = {
  block: { timestamp: true },
  event: { name: true, args: true, phase: true },
  extrinsic: { hash: true, signature: true },
} as const

export type Fields = typeof FIELDS
export type Header = BlockHeader<Fields>
export type RawEvent = Event<Fields>
export type Batch = Pick<DataHandlerContext<unknown, Fields>, 'blocks'>

/** The events that end an action inside an extrinsic that carries several. */
export const ITEM_ENDS = ['Utility.ItemCompleted', 'Utility.ItemFailed']

/** The number of blocks that are kept so that they can be undone, on a chain that calls its blocks final at once. */
const ROLLBACK_DEPTH = 10

export function ledgerProcessor(ledgerUrl: string, { finality, answerMs }: Pick<Config, 'finality' | 'answerMs'>) {
  const processor = new SubstrateBatchProcessor()
    .setRpcEndpoint({ url: ledgerUrl, capacity: 20, requestTimeout: answerMs })
    .setFields(FIELDS)
    .includeAllBlocks()
    .addEvent({ name: [...handlers.map((handler) => handler.name), ...ITEM_ENDS], extrinsic: true })
  withoutMetricsPort(processor)
  fetchBlocksInBatches()
  // A chain whose finalised head is its best head would never be followed past the first catch-up: there, the newest
  // blocks count as not final here, and can be taken back.
  return finality === 'instant' ? processor.setFinalityConfirmation(ROLLBACK_DEPTH) : processor
}

/** The library serves metrics of its own on every interface, at any free port, and has no setting against it. */
function withoutMetricsPort(processor: object): void {
  const metrics: unknown = Reflect.get(processor, 'prometheus')
  if (typeof metrics !== 'object' || metrics === null) throw new Error('the processor keeps its metrics elsewhere')
  const closed = { port: 'none', close: async () => undefined }
  Object.assign(metrics, { serve: async () => closed })
}
