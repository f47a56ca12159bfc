import { type DidDocument, type DidService, type DidState, didDocument, didKeyOf } from '@accredit/chain'
import { ApiError } from '../platform/errors.js'

/** A service for messages as DIDComm v2 has it: an endpoint says what it takes. */
interface MessagingService {
  id: string
  type: string
  serviceEndpoint: { uri: string; accept: string[] }[]
}

export type ApiDocument = Omit<DidDocument, 'service'> & { service?: (DidService | MessagingService)[] }

/**
 * The document as the API answers it. Throws 400 for a did:key of bytes that are no key: such a text is well formed, and
 * no document follows from it.
 */
export function apiDocument(state: DidState): ApiDocument {
  const { service, ...document } = documentOf(state)
  return service === undefined ? document : { ...document, service: service.map(asMessaging) }
}

function documentOf(state: DidState): DidDocument {
  try {
    return didDocument(state)
  } catch (cause) {
    if (didKeyOf(state.did) === undefined) throw cause
    throw new ApiError('invalid_request', 'did is a did:key of bytes that are no key', { cause })
  }
}

function asMessaging(service: DidService): DidService | MessagingService {
  if (service.type !== 'DIDCommMessaging') return service
  const uris = [service.serviceEndpoint].flat()
  return { ...service, serviceEndpoint: uris.map((uri) => ({ uri, accept: ['didcomm/v2'] })) }
}
