import { RuntimeTracker } from '@subsquid/substrate-data'
import {
  type BlockData,
  type DataRequest,
  Fetch1,
  RpcDataSource,
  type RpcDataSourceOptions,
} from '@subsquid/substrate-data-raw'
import { RuntimeVersionTracker } from '@subsquid/substrate-data-raw/lib/runtimeVersionTracker'
import { assertIsValid, coldIngest } from '@subsquid/util-internal-ingest-tools'
import type { HotDatabaseState, HotDataSource, HotUpdate } from '@subsquid/util-internal-processor-tools'
import type { RangeRequestList, SplitRequest } from '@subsquid/util-internal-range'
import { decodeBlock, type LedgerBlock, type RawBlock } from './decode-block'

/** Their ranges count; of each block everything is asked for. */
type Requests = RangeRequestList<object>

/**
 * The number of final blocks that are asked for at once. Their answer has to fit into a message, also where each holds
 * the changes of thousands.
 */
const ASKED_TOGETHER = 25
const AHEAD = 5
const HEAD_POLL_MS = 5_000

/** The parts of a block that are asked for. */
const EVERYTHING: DataRequest = { runtimeVersion: true, extrinsics: true, events: true }

/**
 * The blocks of a ledger, as the library's runner takes them. The library's own source would also decode the calls of
 * each block, and copy them and all of its events, of which most is not indexed.
 */
export class LedgerSource implements HotDataSource<LedgerBlock, object> {
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
    const versions = new RuntimeVersionTracker()
    const batches = coldIngest({
      getFinalizedHeight: () => this.getFinalizedHeight(),
      getSplit: (split: SplitRequest<DataRequest>) => this.fetch(split),
      requests: asking(requests),
      splitSize: ASKED_TOGETHER,
      concurrency: AHEAD,
      headPollInterval: HEAD_POLL_MS,
      ...(stopOnHead !== undefined && { stopOnHead }),
    })
    for await (const { blocks, isHead } of batches) {
      await versions.addRuntimeVersion(this.source.rpc, blocks)
      yield { blocks: await decoded(runtimes, blocks), isHead }
    }
  }

  /** Asks for final blocks as for the newest ones, all at once. The library would go from child to parent, one by one. */
  private async fetch({ range: { from, to }, request }: SplitRequest<DataRequest>): Promise<BlockData[]> {
    const fetcher = new Fetch1(this.source.rpc.withPriority(from))
    const blocks = await fetcher.getHotSplit(from, to, request)
    return blocks.at(-1)?.height === to ? blocks : fetcher.getColdSplit(from, to, request)
  }

  processHotBlocks(
    requests: Requests,
    state: HotDatabaseState,
    take: (update: HotUpdate<LedgerBlock>) => Promise<void>,
  ): Promise<void> {
    const runtimes = this.runtimes()
    return this.source.processHotBlocks(asking(requests), state, async (update) =>
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

const asking = (requests: Requests): RangeRequestList<DataRequest> =>
  requests.map(({ range }) => ({ range, request: EVERYTHING }))

async function decoded(runtimes: RuntimeTracker<RawBlock>, blocks: RawBlock[]): Promise<LedgerBlock[]> {
  await runtimes.setRuntime(blocks)
  assertIsValid(blocks)
  return blocks.map(decodeBlock)
}
