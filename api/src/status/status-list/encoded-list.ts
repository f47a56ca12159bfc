import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** 2^20 bits are ours; foreign lists may be larger, bombs are not unpacked. */
export const MAX_LIST_BYTES = 2 * 1024 * 1024

/**
 * Bits as StatusList2021 carries them: base64url(gzip(bits)), the first index in the highest bit of the first byte.
 * https://www.w3.org/community/reports/credentials/CG-FINAL-vc-status-list-2021-20230102/#bitstring-encoding
 */
export async function encodeStatusList(bits: Uint8Array): Promise<string> {
  return (await compress(bits)).toString('base64url')
}

/** @returns undefined when the text is no such list */
export async function decodeStatusList(encoded: string): Promise<Uint8Array | undefined> {
  // The multibase prefix `u` is what Bitstring lists add.
  const text = encoded.startsWith('u') ? encoded.slice(1) : encoded
  return decompress(Buffer.from(text, 'base64url'), { maxOutputLength: MAX_LIST_BYTES }).catch(() => undefined)
}

/** @returns undefined when the index lies outside the list */
export function bitAt(bits: Uint8Array, index: number): boolean | undefined {
  const byte = Number.isInteger(index) ? bits[Math.floor(index / 8)] : undefined
  return byte === undefined ? undefined : (byte & (0x80 >> (index & 7))) !== 0
}

/** An index as credentials carry it: decimal text, or a number in older ones. */
export function parseStatusIndex(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && /^(0|[1-9]\d{0,9})$/.test(text) ? Number(text) : undefined
}
