/** Bytes as text: 0x and lower-case hexadecimal. */
export type Hex = `0x${string}`

/** 32 bytes as text: ids of registries and schemas, hashes, salts. */
export type Hex32 = Hex & { readonly __brand: 'Hex32' }

export function isHex(text: string): text is Hex {
  return text.length % 2 === 0 && /^0x[0-9a-f]*$/.test(text)
}

/** Marks a text that is known to be hexadecimal: one from a table or another process. */
export function hexIn(text: string): Hex {
  if (!isHex(text)) throw new TypeError('what should be hexadecimal is not')
  return text
}

function isHex32(text: string): text is Hex32 {
  return text.length === 66 && isHex(text)
}

/**
 * Returns the JSON Schema pattern for a number of bytes as callers may write them: in either case, with or without 0x.
 */
export const hexPattern = (length: number): string => `^(0[xX])?[0-9a-fA-F]{${length * 2}}$`

/**
 * Reads a number of bytes from text of either case, with or without 0x and spaces around it, as people paste it;
 * undefined for anything else.
 */
export function parseHex(text: string, length: number): Hex | undefined {
  const lower = text.trim().toLowerCase()
  const hex = lower.startsWith('0x') ? lower : `0x${lower}`
  return hex.length === 2 + length * 2 && isHex(hex) ? hex : undefined
}

/**
 * The one parser of ids and hashes: 32 bytes from text of either case, with or without 0x; undefined for anything else.
 */
export function parseHex32(text: string): Hex32 | undefined {
  const hex = parseHex(text, 32)
  return hex !== undefined && isHex32(hex) ? hex : undefined
}

export function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}

/** Marks bytes that are known to be 32. */
export function hex32Of(bytes: Uint8Array): Hex32 {
  const hex = hexOf(bytes)
  if (!isHex32(hex)) throw new RangeError(`expected 32 bytes, got ${bytes.length}`)
  return hex
}

export function bytesOf(hex: Hex): Uint8Array {
  return new Uint8Array(Buffer.from(hex.slice(2), 'hex'))
}
