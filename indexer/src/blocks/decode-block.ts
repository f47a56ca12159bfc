import { JsonCodec } from '@subsquid/scale-codec'
import type { WithRuntime } from '@subsquid/substrate-data'
import type { BlockData } from '@subsquid/substrate-data-raw'
import type { Runtime } from '@subsquid/substrate-runtime'
import { handlers } from '../events'
import { sts } from '../types/support'
import { Extrinsic } from './extrinsic'

export interface Header {
  height: number
  hash: string
  parentHash: string
  /** Of the runtime that the block's state holds. */
  specVersion: number
  /** In ms since 1970; undefined: the block tells none. */
  timestamp: number | undefined
}

/** A block, and those of its events that are handled. */
export class LedgerBlock {
  constructor(
    readonly header: Header,
    readonly events: RawEvent[],
  ) {}
}

export interface RawEvent {
  index: number
  name: string
  /** JSON, which the types of the runtime read. */
  args: unknown
  block: { _runtime: Runtime }
  /** The place of the extrinsic that it belongs to; undefined: it belongs to none. */
  extrinsicIndex: number | undefined
  extrinsic: Extrinsic | undefined
}

/** As a ledger tells it, with the runtime that made it. */
export type RawBlock = BlockData & WithRuntime

/** The events that end an action inside an extrinsic that carries several. */
export const ITEM_ENDS = ['Utility.ItemCompleted', 'Utility.ItemFailed']

const HANDLED = new Set([...handlers.map(({ name }) => name), ...ITEM_ENDS])

const EVENTS = sts.array(
  sts.struct({
    phase: sts.closedEnum({
      Initialization: sts.unknown(),
      ApplyExtrinsic: sts.number(),
      Finalization: sts.unknown(),
    }),
    event: sts.externalEnum(),
  }),
)

const checked = new WeakSet<Runtime>()

/** Reads of a block what the index keeps of it. */
export function decodeBlock({ height, hash, events, runtime, runtimeVersion, ...raw }: RawBlock): LedgerBlock {
  if (runtime === undefined || runtimeVersion === undefined) throw new Error(`block ${height} has no runtime`)
  const { header, extrinsics: encoded = [] } = raw.block.block
  const { parentHash } = header
  const { specVersion } = runtimeVersion
  const extrinsics = encoded.map((hex) => new Extrinsic(runtime, hex))
  return new LedgerBlock(
    { height, hash, parentHash, specVersion, timestamp: timeOf(extrinsics) },
    eventsOf(runtime, events, extrinsics),
  )
}

function timeOf(extrinsics: readonly Extrinsic[]): number | undefined {
  for (const { time } of extrinsics) if (time !== undefined) return time
  return undefined
}

function eventsOf(runtime: Runtime, bytes: string | null | undefined, extrinsics: readonly Extrinsic[]): RawEvent[] {
  requireKnownEvents(runtime)
  const records: sts.GetType<typeof EVENTS> = runtime.decodeStorageValue('System.Events', bytes)
  const block = { _runtime: runtime }
  return records.flatMap(({ phase, event }, index) => {
    if (!HANDLED.has(`${event.__kind}.${event.value.__kind}`)) return []
    const { name, args } = runtime.toEventRecord(event)
    const extrinsicIndex = phase.__kind === 'ApplyExtrinsic' ? phase.value : undefined
    const extrinsic = extrinsicIndex === undefined ? undefined : extrinsics[extrinsicIndex]
    return [{ index, name, args: JsonCodec.encode(args), block, extrinsicIndex, extrinsic }]
  })
}

function requireKnownEvents(runtime: Runtime): void {
  if (checked.has(runtime)) return
  if (!runtime.checkStorageType('System.Events', ['Required', 'Default'], [], EVENTS))
    throw new Error(`Events of runtime ${runtime.specVersion} have a shape that this indexer does not know`)
  checked.add(runtime)
}
