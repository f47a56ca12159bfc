import { createLogger } from '@subsquid/logger'
import { RpcClient } from '@subsquid/rpc-client'
import type { DataRequest } from '@subsquid/substrate-data-raw'
import { type Block, type Database, PrometheusServer, Runner } from '@subsquid/util-internal-processor-tools'
import type { Config } from '../config'
import { askInBatches } from './ask-in-batches'
import { LedgerBlock } from './decode-block'
import { EVERYTHING, LedgerSource } from './ledger-source'

/** The number of blocks that are kept so that they can be undone, on a chain that calls its blocks final at once. */
const ROLLBACK_DEPTH = 10

type Settings = Pick<Config, 'finality' | 'answerMs'>

/** Gives the blocks of a ledger to a database, from the one after its newest, for ever. */
export function followLedger<Store>(
  url: string,
  { finality, answerMs }: Settings,
  database: Database<Store>,
  read: (blocks: LedgerBlock[]) => void,
): Promise<void> {
  askInBatches()
  const log = createLogger('sqd:processor')
  const rpc = new RpcClient({
    url,
    capacity: 20,
    maxBatchCallSize: 100,
    requestTimeout: answerMs,
    retryAttempts: Number.MAX_SAFE_INTEGER,
    log: log.child('rpc', { rpcUrl: url }),
  })
  // A chain whose finalised head is its best head would never be followed past the first catch-up: there, the newest
  // blocks count as not final here, and can be taken back.
  const depth = finality === 'instant' ? { finalityConfirmation: ROLLBACK_DEPTH } : {}
  const runner = new Runner<DataRequest, Store>({
    database,
    requests: [{ range: { from: 0 }, request: EVERYTHING }],
    hotDataSource: new LedgerSource({ rpc, ...depth }),
    process: async (_store, { blocks }) => read(blocks.map(ours)),
    prometheus: withoutPort(new PrometheusServer()),
    log,
  })
  return runner.run()
}

/** The library knows of the blocks of a source only that they have a header. */
function ours(block: Block): LedgerBlock {
  if (block instanceof LedgerBlock) return block
  throw new Error(`block ${block.header.height} comes from another source`)
}

/** The library serves metrics of its own on every interface, at any free port, and has no setting against it. */
function withoutPort(metrics: PrometheusServer): PrometheusServer {
  const closed = { port: 0, close: async () => undefined }
  return Object.assign(metrics, { serve: async () => closed })
}
