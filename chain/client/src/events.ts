import type { Vec } from '@polkadot/types'
import type { DispatchError, EventRecord } from '@polkadot/types/interfaces'
import { stringCamelCase } from '@polkadot/util'
import type { Hex } from './bytes.js'
import type { EventData } from './generated/events.js'
import { type Plain, plain } from './plain.js'
import { type ChainTypes, chainTypes } from './types.js'

/** An event of a block. */
export interface ChainEvent {
  /** Position of the extrinsic in its block; undefined for events of the block itself. */
  readonly extrinsic: number | undefined
  /** The runtime's names, for instance `Did` and `Created`. */
  readonly pallet: string
  readonly name: string
  /** The data by the names of the fields, in camel case. */
  readonly data: { readonly [name: string]: Plain }
  /** The error inside `ExtrinsicFailed`, `ItemFailed` and the like. */
  readonly error?: ChainError
}

/** A refusal by the runtime. */
export interface ChainError {
  readonly pallet: string
  readonly name: string
  readonly docs: string
}

/**
 * Reads the events of a block from the bytes of `System.Events`, in order.
 *
 * @param names those that are returned, for instance `Did.Created`; default: all
 */
export function decodeEvents(
  bytes: Hex | Uint8Array,
  types: ChainTypes = chainTypes(),
  names?: ReadonlySet<string>,
): readonly ChainEvent[] {
  const records: Vec<EventRecord> = types.registry.createType('Vec<EventRecord>', bytes)
  return [...records]
    .filter(({ event }) => names?.has(`${palletOf(event.section)}.${event.method}`) ?? true)
    .map((record) => eventOf(record, types))
}

function eventOf({ phase, event }: EventRecord, types: ChainTypes): ChainEvent {
  const names = event.data.names ?? event.data.map((_, position) => String(position))
  const data = Object.fromEntries(names.map((name, position) => [stringCamelCase(name), plain(event.data[position])]))
  const failed = event.data.find(isDispatchError)
  return {
    extrinsic: phase.isApplyExtrinsic ? phase.asApplyExtrinsic.toNumber() : undefined,
    pallet: palletOf(event.section),
    name: event.method,
    data,
    ...(failed ? { error: chainError(failed, types) } : {}),
  }
}

/** Tells whether an event is the one of this name; then its data have the metadata's types. */
export function isEvent<Name extends keyof EventData>(
  event: ChainEvent,
  name: Name,
): event is ChainEvent & { readonly data: EventData[Name] } {
  return `${event.pallet}.${event.name}` === name
}

/** The error of a failed dispatch, with the documentation that the runtime gives it. */
export function chainError(error: DispatchError, types: ChainTypes = chainTypes()): ChainError {
  if (error.isModule) {
    const { section, name, docs } = types.registry.findMetaError(error.asModule)
    return { pallet: palletOf(section), name, docs: docs.join(' ').trim() }
  }
  return { pallet: 'System', name: error.type, docs: '' }
}

export function isDispatchError(value: unknown): value is DispatchError {
  return typeof value === 'object' && value !== null && 'isModule' in value && 'isBadOrigin' in value
}

/** The registry of types gives names in camel case; the runtime's own begin with a capital. */
function palletOf(section: string): string {
  return section.charAt(0).toUpperCase() + section.slice(1)
}
