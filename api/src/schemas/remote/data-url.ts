import { SchemaRefused } from '../check/schema-rules.js'

const FORM = /^data:application\/(?:schema\+)?json(?:;charset=utf-8)?(;base64)?,/i
/** A byte is written with three characters at most. */
const CHARACTERS_OF_A_BYTE = 3

/**
 * Returns the bytes of JSON in a data URL (RFC 2397).
 *
 * @throws SchemaRefused for another type, for what cannot be decoded, and for more bytes than these
 */
export function bytesInDataUrl(url: string, most: number): Buffer {
  const [head = '', base64] = FORM.exec(url.slice(0, 64)) ?? []
  if (head === '') throw new SchemaRefused('its data: URL is not of the type application/json')
  const content = url.slice(head.length)
  if (content.length > CHARACTERS_OF_A_BYTE * most) throw new SchemaRefused(`it has more than ${most} bytes`)
  const bytes = base64 === undefined ? percentDecoded(content) : Buffer.from(content, 'base64')
  if (bytes.length > most) throw new SchemaRefused(`it has more than ${most} bytes`)
  return bytes
}

function percentDecoded(content: string): Buffer {
  try {
    return Buffer.from(decodeURIComponent(content))
  } catch (error) {
    throw new SchemaRefused('its data: URL is not well percent-encoded', { cause: error })
  }
}
