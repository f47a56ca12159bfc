import { decodeBase58 } from '@accredit/chain'

const PREFIX = 'did:key:z'
/** The multicodec of a BLS12-381 key in G2, and its length. */
const [FIRST, SECOND, BYTES] = [0xeb, 0x01, 96]

/** The key of a did:key of other issuers, which the ledger does not know; undefined: the text is no such DID. */
export function blsDidKey(text: string): Uint8Array | undefined {
  if (!text.startsWith(PREFIX) || text.length > 200) return undefined
  const bytes = decodeBase58(text.slice(PREFIX.length))
  return bytes?.length === BYTES + 2 && bytes[0] === FIRST && bytes[1] === SECOND ? bytes.slice(2) : undefined
}
