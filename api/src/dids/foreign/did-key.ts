import { decodeBase58, encodeBase58 } from '@accredit/chain'
import type { PublicKey } from '../../formats/keys/json-web-key.js'
import { keyOfMulticodec } from './document-key.js'

const PREFIX = 'did:key:z'

/**
 * Returns the key inside a did:key of a kind that the ledger does not take, such as P-256, and that verifies here;
 * undefined for a text that is none.
 */
export function otherDidKey(did: string): PublicKey | undefined {
  if (!did.startsWith(PREFIX) || did.length > 128) return undefined
  const encoded = did.slice(PREFIX.length)
  const bytes = decodeBase58(encoded)
  return bytes !== undefined && encodeBase58(bytes) === encoded ? keyOfMulticodec(bytes) : undefined
}
