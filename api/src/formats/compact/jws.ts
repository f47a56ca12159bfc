import { type Finding, failed } from '../check.js'
import { FormatError } from '../format-error.js'
import { isObject, type JsonObject, textOf } from '../json.js'
import { base64UrlOf, bytesOfBase64Url } from './base64url.js'
import { jsonOfBase64Url } from './json-text.js'

/** A signed text in the compact form (RFC 7515, section 7.1), whose signature nobody has checked yet. */
export interface Jws {
  readonly token: string
  readonly header: JwsHeader
  readonly payload: JsonObject
}

export interface JwsHeader {
  readonly alg: string
  /** In lower case, without `application/`. */
  readonly typ: string | undefined
  readonly kid: string | undefined
}

/** The three parts of a compact JWS: what a text must look like to be read as one. */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]*$/

/** The longest header, encoded: a key and how it signs have room in a small part of it. */
const MOST_OF_HEADER = 16_384

/** Returns the header of a text in the form of a compact JWS; undefined where it is none. */
export function headerIn(text: string): JsonObject | undefined {
  if (!COMPACT_JWS.test(text)) return undefined
  const header = jsonOfBase64Url(text.slice(0, text.indexOf('.')))
  return isObject(header) ? header : undefined
}

/** @throws FormatError for a token that two readers could understand differently, or that asks for extensions */
export function readJws(token: string): Jws {
  const given = headerIn(token)
  if (given === undefined) throw malformed('its header cannot be read')
  if (token.indexOf('.') > MOST_OF_HEADER)
    throw new FormatError('too_large', `its header has more than ${MOST_OF_HEADER} characters`)
  const [, encoded = '', signature = ''] = token.split('.')
  const payload = jsonOfBase64Url(encoded)
  if (!isObject(payload)) throw malformed('its payload is no JSON object that all readers understand alike')
  if (bytesOfBase64Url(signature) === undefined) throw malformed('its signature is not in base64url')
  return { token, header: readHeader(given), payload }
}

function readHeader(header: JsonObject): JwsHeader {
  for (const name of ['crit', 'b64', 'zip'])
    if (name in header) throw malformed(`its header asks for an extension that is not known here, ${name}`)
  const alg = textOf(header.alg)
  if (alg === undefined) throw malformed('its header names no algorithm')
  for (const name of ['typ', 'kid'] as const)
    if (header[name] !== undefined && typeof header[name] !== 'string') throw malformed(`its ${name} is no text`)
  const typ = textOf(header.typ)
    ?.toLowerCase()
    .replace(/^application\//, '')
  return { alg, typ, kid: textOf(header.kid) }
}

/** Returns why a token is refused. @throws everything that is no refusal */
export function refusalOf(error: unknown): Finding {
  if (!(error instanceof FormatError)) throw error
  return failed(error.code, error.message)
}

export const malformed = (why: string): FormatError => new FormatError('malformed', why)

/** A JWS that lacks its signature only. */
export interface UnsignedJws {
  readonly message: Uint8Array
  /** @returns the token */
  finish(signature: Uint8Array | undefined): string
}

export function unsignedJws(header: JsonObject, payload: JsonObject): UnsignedJws {
  const signed = `${base64UrlOf(JSON.stringify(header))}.${base64UrlOf(JSON.stringify(payload))}`
  return {
    message: Buffer.from(signed),
    finish(signature) {
      if (signature === undefined) throw new Error('the signer answered no signature')
      return `${signed}.${base64UrlOf(signature)}`
    },
  }
}
