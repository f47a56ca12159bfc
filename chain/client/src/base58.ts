import { base58 } from '@scure/base'

/** Base58 with the Bitcoin alphabet, without a multibase prefix. */
export function encodeBase58(bytes: Uint8Array): string {
  return base58.encode(bytes)
}

/** Returns undefined where the text is not base58btc. */
export function decodeBase58(text: string): Uint8Array | undefined {
  try {
    return base58.decode(text)
  } catch {
    return undefined
  }
}
