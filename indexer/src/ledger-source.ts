import { RuntimeTracker } from '@subsquid/substrate-data'
import { type DataRequest, RpcDataSource, type RpcDataSourceOptions } from '@subsquid/substrate-data-raw'
import { assertIsValid } from '@subsquid/util-internal-ingest-tools'
import type { HotDatabaseState, HotDataSource, HotUpdate } from '@subsquid/util-internal-processor-tools'
import type { RangeRequestList } from '@subsquid/util-internal-range'
import { decodeBlock, type LedgerBlock, type RawBlock } from './decode-block'

type Requests = RangeRequestList<DataRequest>

/** What is asked for of each block. */
export const EVERYTHING: DataRequest = { runtimeVersion: true, extrinsics: true, events: true }

/**
 * The blocks of a ledger, as the library's runner takes them. The library's own source would also decode the calls of
 * each block and all of its events, which took more time than the rest of the index.
 */
export class LedgerSource implements HotDataSource<LedgerBlock, DataRequest> {
  private readonly source: RpcDataSource

  constructor(options: RpcDataSourceOptions) {
    this.source = new RpcDataSource(options)
  }

  getBlockHash(height: number): Promise<string | null> {
    return this.source.rpc.getBlockHash(height)
  }

  getFinalizedHeight(): Promise<number> {
    return this.source.getFinalizedHeight()
  }

  async *getFinalizedBlocks(requests: Requests, stopOnHead?: boolean) {
    const runtimes = this.runtimes()
    for await (const batch of this.source.getFinalizedBlocks(requests, stopOnHead))
      yield { ...batch, blocks: await decoded(runtimes, batch.blocks) }
  }

  processHotBlocks(
    requests: Requests,
    state: HotDatabaseState,
    take: (update: HotUpdate<LedgerBlock>) => Promise<void>,
  ): Promise<void> {
    const runtimes = this.runtimes()
    return this.source.processHotBlocks(requests, state, async (update) =>
      take({ ...update, blocks: await decoded(runtimes, update.blocks) }),
    )
  }

  private runtimes(): RuntimeTracker<RawBlock> {
    return new RuntimeTracker(
      this.source.rpc,
      ({ height, hash, block: { block } }) => ({ height, hash, parentHash: block.header.parentHash }),
      ({ height, runtimeVersion }) => {
        if (runtimeVersion === undefined) throw new Error(`block ${height} has no runtime`)
        return runtimeVersion
      },
    )
  }
}

async function decoded(runtimes: RuntimeTracker<RawBlock>, blocks: RawBlock[]): Promise<LedgerBlock[]> {
  await runtimes.setRuntime(blocks)
  assertIsValid(blocks)
  return blocks.map(decodeBlock)
}
