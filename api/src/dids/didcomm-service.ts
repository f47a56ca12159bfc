import { isFragment, isUri } from '@accredit/chain'
import { invalid } from '../platform/http/errors.js'
import { parseUrl } from '../platform/http/input/parse-url.js'
import type { StoredService } from './did.tables.js'

// The ledger's limit for a field of a service.
const maxBytes = 256
const MESSAGING = 'DIDCommMessaging'
const ID = 'didcomm'

interface ServiceWish {
  didcommServiceUrl?: string
  includeDidcommService?: boolean
}

/** Returns the service for messages of a new DID: at the caller's address, at ours, or none. */
export function didcommServices(
  { didcommServiceUrl, includeDidcommService = true }: ServiceWish,
  apiUrl: string,
): StoredService[] {
  const given = didcommServiceUrl?.trim() ?? ''
  if (!includeDidcommService) return []
  const endpoint = given === '' ? new URL(`${apiUrl}/messaging/receive`).href : checked(given)
  return [{ id: ID, type: MESSAGING, endpoints: [endpoint] }]
}

interface ServiceChange {
  didcommServiceUrl: string
  includeDidcommService: boolean | undefined
}

/** Returns a DID's services with the requested service for messages; the same list where none was requested. */
export function changedServices(
  services: StoredService[],
  { didcommServiceUrl, includeDidcommService }: ServiceChange,
  apiUrl: string,
): StoredService[] {
  const present = services.find(isMessaging)
  if (includeDidcommService === false) {
    if (didcommServiceUrl !== '') throw invalid('Give didcommServiceUrl, or includeDidcommService as false, not both')
    return present === undefined ? services : services.filter((service) => !isMessaging(service))
  }
  if (didcommServiceUrl === '' && (present !== undefined || includeDidcommService === undefined)) return services
  const [wanted] = didcommServices({ didcommServiceUrl }, apiUrl)
  if (wanted === undefined) return services
  if (present === undefined) return [...services, wanted]
  if (present.endpoints.length === 1 && present.endpoints[0] === wanted.endpoints[0]) return services
  // An older ledger may hold it under an id that the ledger no longer takes.
  const id = isFragment(present.id) ? present.id : ID
  return services.map((service) => (service === present ? { ...wanted, id } : service))
}

const isMessaging = ({ type }: StoredService): boolean => type === MESSAGING

function checked(text: string): string {
  const url = parseUrl(text)
  if (url === undefined || !/^(https?|wss?):$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw invalid('didcommServiceUrl must be an http(s) or ws(s) URL')
  }
  if (!isUri(url.href))
    throw invalid('didcommServiceUrl holds a character that a URI has only percent-encoded (RFC 3986)')
  if (Buffer.byteLength(url.href) > maxBytes) throw invalid(`didcommServiceUrl may have at most ${maxBytes} bytes`)
  return url.href
}
