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
  /** As the runtime's types decode them. */
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

/** The runtimes whose events are known, as the types of events (`src/types`) are to ask them. */
const readers = new WeakMap<Runtime, Runtime>()

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
  const block = { _runtime: readerOf(runtime) }
  const records: sts.GetType<typeof EVENTS> = runtime.decodeStorageValue('System.Events', bytes)
  return records.flatMap(({ phase, event }, index) => {
    if (!HANDLED.has(`${event.__kind}.${event.value.__kind}`)) return []
    const { name, args } = runtime.toEventRecord(event)
    const extrinsicIndex = phase.__kind === 'ApplyExtrinsic' ? phase.value : undefined
    const extrinsic = extrinsicIndex === undefined ? undefined : extrinsics[extrinsicIndex]
    return [{ index, name, args, block, extrinsicIndex, extrinsic }]
  })
}

/** The types of events read arguments from JSON: here they are decoded already, and would be made JSON for that alone. */
function readerOf(runtime: Runtime): Runtime {
  const known = readers.get(runtime)
  if (known !== undefined) return known
  if (!runtime.checkStorageType('System.Events', ['Required', 'Default'], [], EVENTS))
    throw new Error(`Events of runtime ${runtime.specVersion} have a shape that this indexer does not know`)
  const decodeJsonEventRecordArguments = ({ args }: { args: unknown }) => args
  const reader: Runtime = Object.create(runtime, {
    decodeJsonEventRecordArguments: { value: decodeJsonEventRecordArguments },
  })
  readers.set(runtime, reader)
  return reader
}
