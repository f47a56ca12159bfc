import base58 from 'bs58'

/** Base58 with the Bitcoin alphabet, without a multibase prefix. */
export function encodeBase58(bytes: Uint8Array): string {
  return base58.encode(bytes)
}

/** The longest text that is read: decoding takes the square of the length, and no key or signature here has as many. */
const MOST_CHARACTERS = 512

/** Returns undefined where the text is not base58btc, or longer than anything that is written in it here. */
export function decodeBase58(text: string): Uint8Array | undefined {
  return text.length > MOST_CHARACTERS ? undefined : base58.decodeUnsafe(text)
}
