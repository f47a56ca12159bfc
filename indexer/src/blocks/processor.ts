import { SubstrateBatchProcessor } from '@subsquid/substrate-processor'
import type { Config } from '../config'
import { askInBatches } from './ask-in-batches'
import { LedgerBlock } from './decode-block'
import { LedgerSource } from './ledger-source'

/** The number of blocks that are kept so that they can be undone, on a chain that calls its blocks final at once. */
const ROLLBACK_DEPTH = 10

type Settings = Pick<Config, 'finality' | 'answerMs'>

/** Gives the blocks of a ledger to a database, from the one after its newest, for ever; ends the process when it fails. */
export function ledgerProcessor(url: string, { finality, answerMs }: Settings): SubstrateBatchProcessor {
  askInBatches()
  const processor = new SubstrateBatchProcessor()
    .setRpcEndpoint({ url, capacity: 20, requestTimeout: answerMs })
    .includeAllBlocks()
  withoutMetricsPort(processor)
  // A chain whose finalised head is its best head would never be followed past the first catch-up: there, the newest
  // blocks count as not final here, and can be taken back.
  return withOwnSource(processor, finality === 'instant' ? { finalityConfirmation: ROLLBACK_DEPTH } : {})
}

/** The library says of the blocks of a source that is not its own only that they have a header. */
export function asRead(blocks: readonly object[]): LedgerBlock[] {
  return blocks.map((block) => {
    if (block instanceof LedgerBlock) return block
    throw new Error('a block comes from another source')
  })
}

/**
 * Lets the processor read blocks by `LedgerSource`. The library's own source would decode the calls of each block too,
 * and copy them and all of its events, of which most is not indexed: three times the work of a block.
 */
function withOwnSource(
  processor: SubstrateBatchProcessor,
  depth: { finalityConfirmation?: number },
): SubstrateBatchProcessor {
  const client = methodOf(processor, 'getChainRpcClient')
  methodOf(processor, 'getRpcDataSource')
  return Object.assign(processor, { getRpcDataSource: () => new LedgerSource({ rpc: client(), ...depth }) })
}

/** The library serves metrics of its own on every interface, at any free port, and has no setting against it. */
function withoutMetricsPort(processor: object): void {
  const metrics: unknown = Reflect.get(processor, 'prometheus')
  if (typeof metrics !== 'object' || metrics === null) throw new Error('the processor keeps its metrics elsewhere')
  const closed = { port: 'none', close: async () => undefined }
  Object.assign(metrics, { serve: async () => closed })
}

/** @throws where another version of the library has it no more */
function methodOf(processor: object, name: string): () => never {
  const method: unknown = Reflect.get(processor, name)
  if (typeof method !== 'function') throw new Error(`the processor has no ${name}`)
  return method.bind(processor)
}
