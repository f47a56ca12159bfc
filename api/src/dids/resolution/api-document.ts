import { type DidDocument, type DidState, didDocument, didKeyOf } from '@accredit/chain'
import { ApiError } from '../../platform/http/errors.js'

/**
 * Returns the document as the API answers it. Throws 400 for a did:key whose bytes are no key: the text is well formed,
 * and no document follows from it.
 */
export function apiDocument(state: DidState): DidDocument {
  try {
    return didDocument(state)
  } catch (cause) {
    if (didKeyOf(state.did) === undefined) throw cause
    throw new ApiError('invalid_request', 'did is a did:key of bytes that are no key', { cause })
  }
}
