import { base58Decode, base58Encode } from '@polkadot/util-crypto'

/** Base58 with the Bitcoin alphabet, without a multibase prefix. */
export function encodeBase58(bytes: Uint8Array): string {
  return base58Encode(bytes)
}

/** Undefined where the text is not base58btc. */
export function decodeBase58(text: string): Uint8Array | undefined {
  try {
    return base58Decode(text)
  } catch {
    return undefined
  }
}
