import { invalid } from '../platform/errors.js'
import type { StoredService } from './did.tables.js'

// What the ledger takes for a field of a service.
const maxBytes = 256

interface ServiceWish {
  didcommServiceUrl?: string
  includeDidcommService?: boolean
}

/** The service for messages that a new DID gets: at the caller's address or at ours, or none. */
export function didcommServices(
  { didcommServiceUrl, includeDidcommService = true }: ServiceWish,
  apiUrl: string,
): StoredService[] {
  const given = didcommServiceUrl?.trim() ?? ''
  if (!includeDidcommService) return []
  const endpoint = given === '' ? `${apiUrl}/messaging/receive` : checked(given)
  return [{ id: 'didcomm', type: 'DIDCommMessaging', endpoints: [endpoint] }]
}

function checked(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^(https?|wss?):$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw invalid('didcommServiceUrl must be an http(s) or ws(s) URL')
  }
  if (Buffer.byteLength(url.href) > maxBytes) throw invalid(`didcommServiceUrl may have at most ${maxBytes} bytes`)
  return url.href
}
