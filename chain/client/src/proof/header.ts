import { concatBytes } from '@noble/hashes/utils'
import { bytesOf, compact, type Hex, hexOf } from './bytes.js'
import { blake2b256 } from './hashers.js'
import { readAll, type ScaleReader } from './scale-reader.js'

/** A block's header. */
export interface Header {
  readonly hash: Uint8Array
  readonly parentHash: Uint8Array
  readonly number: number
  readonly stateRoot: Uint8Array
  /** Messages to GRANDPA in this block. */
  readonly grandpaLogs: readonly Uint8Array[]
}

const GRANDPA = hexOf(new TextEncoder().encode('FRNK'))
/** By its number in the encoding: whether the item has the name of an engine before its bytes. */
const DIGEST_ITEMS: Readonly<Record<number, 'plain' | 'engine' | 'empty'>> = {
  0: 'plain',
  4: 'engine',
  5: 'engine',
  6: 'engine',
  8: 'empty',
}
const CONSENSUS = 4

export function readHeader(bytes: Uint8Array, name: string): Header {
  return readAll(bytes, name, readInnerHeader)
}

/** Reads a header that stands among other bytes. */
export function readInnerHeader(reader: ScaleReader): Header {
  const { value, bytes } = reader.span((inner) => {
    const parentHash = inner.take(32)
    const number = inner.compact()
    const stateRoot = inner.take(32)
    // The root of the block's extrinsics, of which no bundle tells anything.
    inner.take(32)
    const logs = inner.list(readDigestItem)
    return { parentHash, number, stateRoot, grandpaLogs: logs.flatMap((log) => (log === undefined ? [] : [log])) }
  })
  return { ...value, hash: blake2b256(bytes) }
}

/** Returns the bytes of an item that is meant for GRANDPA. */
function readDigestItem(reader: ScaleReader): Uint8Array | undefined {
  const kind = reader.u8()
  const form = DIGEST_ITEMS[kind]
  if (form === undefined) throw reader.refusal('holds an item of a digest that is not known')
  if (form === 'empty') return undefined
  const engine = form === 'engine' ? hexOf(reader.take(4)) : undefined
  const bytes = reader.counted()
  return kind === CONSENSUS && engine === GRANDPA ? bytes : undefined
}

/** A header's fields as JSON-RPC shows them: the number in hexadecimal, items of the digest in SCALE. */
export interface HeaderFields {
  readonly parentHash: Hex
  readonly number: Hex
  readonly stateRoot: Hex
  readonly extrinsicsRoot: Hex
  readonly digest: { readonly logs: readonly Hex[] }
}

/** Writes a header in SCALE. */
export function encodeHeader({ parentHash, number, stateRoot, extrinsicsRoot, digest }: HeaderFields): Hex {
  const parts = [
    bytesOf(parentHash),
    compact(Number(number)),
    bytesOf(stateRoot),
    bytesOf(extrinsicsRoot),
    compact(digest.logs.length),
    ...digest.logs.map(bytesOf),
  ]
  return hexOf(concatBytes(...parts))
}
