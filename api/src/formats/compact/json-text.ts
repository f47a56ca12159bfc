import { parseJson } from '../../platform/http/input/json.js'
import type { Json } from '../json.js'
import { bytesOfBase64Url } from './base64url.js'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads JSON in base64url: undefined for what two readers could understand differently, such as a repeated member, an
 * inexact number or broken UTF-8.
 */
export function jsonOfBase64Url(text: string): Json | undefined {
  const bytes = bytesOfBase64Url(text)
  try {
    return bytes && parseJson(utf8.decode(bytes))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined
    throw error
  }
}
