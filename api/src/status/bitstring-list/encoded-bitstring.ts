import { decodeStatusList, encodeStatusList } from '../status-list/encoded-list.js'

/** The fewest entries of a list: fewer would tell whose status is looked up. */
export const MIN_ENTRIES = 131_072

/** The multibase prefix of base64url. */
const PREFIX = 'u'

/**
 * Bits as Bitstring lists carry them. https://www.w3.org/TR/vc-bitstring-status-list/#bitstring-encoding
 */
export const encodeBitstring = async (bits: Uint8Array): Promise<string> => PREFIX + (await encodeStatusList(bits))

/** @returns undefined when the text is no such list */
export const decodeBitstring = async (encoded: string): Promise<Uint8Array | undefined> =>
  encoded.startsWith(PREFIX) ? decodeStatusList(encoded) : undefined

/** Returns the number in the bits of one entry, the first of them being the highest; undefined: it lies outside. */
export function statusIn(bits: Uint8Array, index: number, size: number): number | undefined {
  const start = index * size
  if (!Number.isSafeInteger(start + size) || index < 0 || start + size > bits.length * 8) return undefined
  let status = 0
  for (let bit = start; bit < start + size; bit++)
    status = status * 2 + (((bits[Math.floor(bit / 8)] ?? 0) >> (7 - (bit % 8))) & 1)
  return status
}
