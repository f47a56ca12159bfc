import { hexToBytes } from '@noble/hashes/utils'

/** Bytes as text: 0x and lower-case hexadecimal. */
export type Hex = `0x${string}`

const HEX = /^0x(?:[0-9a-f]{2})*$/

export function isHex(text: unknown): text is Hex {
  return typeof text === 'string' && HEX.test(text)
}

export function isHex32(text: unknown): text is Hex {
  return isHex(text) && text.length === 66
}

const DIGITS = new TextEncoder().encode('0123456789abcdef')
const DECODER = new TextDecoder()

/** Writes all digits at once: a text that grows byte by byte takes a small object for each. */
export function hexOf(bytes: Uint8Array): Hex {
  const digits = new Uint8Array(2 * bytes.length)
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    digits[2 * at] = DIGITS[byte >> 4] ?? 0
    digits[2 * at + 1] = DIGITS[byte & 15] ?? 0
  }
  return `0x${DECODER.decode(digits)}`
}

export function bytesOf(hex: Hex): Uint8Array {
  return hexToBytes(hex.slice(2))
}

export function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, position) => byte === b[position])
}

/** Compares byte by byte; a text that begins another stands before it. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, position) => byte !== b[position])
  return at === -1 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1)
}

/** Writes an unsigned integer in so many bytes, the lowest first. */
export function littleEndian(value: bigint | number, bytes: number): Uint8Array {
  let rest = BigInt(value)
  return Uint8Array.from({ length: bytes }, () => {
    const byte = Number(rest & 255n)
    rest >>= 8n
    return byte
  })
}

/** Writes a number of at most 32 bits as SCALE's compact integer. */
export function compact(value: number): Uint8Array {
  if (value >= 1 << 30) return Uint8Array.of(3, ...littleEndian(value, 4))
  const [bytes, mode] = value < 64 ? [1, 0] : value < 16_384 ? [2, 1] : [4, 2]
  return littleEndian(value * 4 + mode, bytes)
}
