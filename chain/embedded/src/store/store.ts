import { bytesOf, type Hex, hexOf } from '@accredit/chain/bytes'

/** Bytes travel as hexadecimal in JSON-RPC and in the executor. */
export { bytesOf, type Hex, hexOf }

export interface StoredBlock {
  readonly number: number
  readonly hash: Hex
  /** SCALE bytes of the header. */
  readonly header: Hex
  /** Every extrinsic of the block, inherents first. */
  readonly extrinsics: readonly Hex[]
}

/** The entries that a block changed: null removes one. */
export type StateChanges = ReadonlyMap<Hex, Hex | null>

/**
 * The blocks and state of one chain. State is kept by block, so that every past block can be read. A store has one
 * writer, which appends; nothing is ever changed or removed.
 */
export interface Store {
  head(): Promise<StoredBlock | undefined>
  blockAt(number: number): Promise<StoredBlock | undefined>
  blockOf(hash: Hex): Promise<StoredBlock | undefined>
  /** Returns the values of state entries as of a block. */
  valuesAt(keys: readonly Hex[], number: number): Promise<(Hex | undefined)[]>
  /** Returns the blocks that wrote a state entry, oldest first: for entries that rarely change. */
  writesOf(key: Hex): Promise<number[]>
  /** Lists at most `count` present keys that begin with `prefix`, in order, after `after`. */
  keysAt(prefix: Hex, count: number, after: Hex | undefined, number: number): Promise<Hex[]>
  /** Returns when block and changes are durable: only then may anyone hear of the block. */
  append(block: StoredBlock, changes: StateChanges): Promise<void>
  close(): Promise<void>
}

export function isHex(text: unknown): text is Hex {
  return typeof text === 'string' && text.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(text)
}
