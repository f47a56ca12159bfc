import base58 from 'bs58'

/** Base58 with the Bitcoin alphabet, without a multibase prefix. */
export function encodeBase58(bytes: Uint8Array): string {
  return base58.encode(bytes)
}

/** Returns undefined where the text is not base58btc. */
export function decodeBase58(text: string): Uint8Array | undefined {
  return base58.decodeUnsafe(text)
}
