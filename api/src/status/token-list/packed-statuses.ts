import { promisify } from 'node:util'
import { deflate, inflate } from 'node:zlib'
import { MAX_LIST_BYTES } from '../status-list/encoded-list.js'

const compress = promisify(deflate)
const decompress = promisify(inflate)

/** The sizes of a status. */
export const BITS = [1, 2, 4, 8] as const
export type Bits = (typeof BITS)[number]

const BITS_OF_BYTE = [0, 1, 2, 3, 4, 5, 6, 7]

/**
 * Packs the statuses of a list whose set bits all mean the same status: the first index in the lowest bits of the first
 * byte.
 * @param set the bit of index 0 is the highest one of byte 0
 */
export function packed(set: Uint8Array, status: number, bits: Bits): Uint8Array {
  const bytes = new Uint8Array(set.length * bits)
  for (const [place, byte] of set.entries()) {
    if (byte === 0) continue
    for (const bit of BITS_OF_BYTE) {
      const start = (place * 8 + bit) * bits
      if (byte & (0x80 >> bit)) bytes[start >> 3] = (bytes[start >> 3] ?? 0) | (status << (start & 7))
    }
  }
  return bytes
}

/** Returns the status at an index; undefined: it lies outside. */
export function statusIn(bytes: Uint8Array, index: number, bits: Bits): number | undefined {
  const perByte = 8 / bits
  const byte = Number.isInteger(index) ? bytes[Math.floor(index / perByte)] : undefined
  return byte === undefined ? undefined : (byte >> ((index % perByte) * bits)) & (2 ** bits - 1)
}

/** Statuses as tokens carry them (`lst`): base64url of zlib. */
export const encodeStatuses = async (bytes: Uint8Array): Promise<string> =>
  (await compress(bytes, { level: 9 })).toString('base64url')

/** @returns undefined when the bytes are no such list, or more than a list may have */
export const decodeStatuses = (encoded: Uint8Array): Promise<Uint8Array | undefined> =>
  decompress(encoded, { maxOutputLength: MAX_LIST_BYTES }).catch(() => undefined)
