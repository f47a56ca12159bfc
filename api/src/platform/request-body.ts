import type { FastifyInstance } from 'fastify'
import { ApiError, invalid } from './errors.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/** How deep arrays and objects nest in JSON bytes, looked at before any parser runs; stops at `limit`. */
function nestingDepth(bytes: Uint8Array, limit: number): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    if (inString) {
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (OPENING.has(byte)) {
      depth++
      if (depth > deepest) deepest = depth
      if (deepest > limit) return deepest
    } else if (CLOSING.has(byte)) depth--
  }
  return deepest
}

// Lone surrogates are no text, and Postgres stores neither them nor NUL.
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what is looked for
const UNSTORABLE = /\u0000|\p{Surrogate}/u

/** Refuses text that no database stores, and member names that poison objects, anywhere in a parsed value. */
export function refuseUnstorable(value: unknown): void {
  if (typeof value === 'string') {
    if (UNSTORABLE.test(value)) throw invalid('Text must not contain NUL or broken characters', 'text')
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__') throw invalid('A member must not be named __proto__')
    refuseUnstorable(name)
    refuseUnstorable(member)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseJsonBody(bytes: Uint8Array, depthLimit: number): unknown {
  if (nestingDepth(bytes, depthLimit) > depthLimit) throw invalid(`JSON nests deeper than ${depthLimit} levels`)
  const text = decode(bytes)
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    // Without its cause: the parser quotes the body, which may hold a password, and causes are logged.
    throw invalid('The body is not valid JSON')
  }
}

/** One JSON value in each line that is not empty: as an array of them. */
function parseLines(bytes: Uint8Array, depthLimit: number): unknown[] {
  if (nestingDepth(bytes, depthLimit) > depthLimit) throw invalid(`JSON nests deeper than ${depthLimit} levels`)
  const values: unknown[] = []
  const broken: number[] = []
  for (const line of decode(bytes).split('\n')) {
    if (line.trim() === '') continue
    try {
      values.push(JSON.parse(line))
    } catch {
      broken.push(values.push(undefined))
    }
  }
  if (broken.length > 0) throw invalid(`Not valid JSON: ${rowsNamed(broken)}`)
  return values
}

const NAMED = 20

/** Rows by number, and no more of them than one reads. */
function rowsNamed(rows: readonly number[]): string {
  const rest = rows.length - NAMED
  return `row ${rows.slice(0, NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new ApiError('invalid_request', 'The body is not valid UTF-8', { cause })
  }
}

/** JSON whatever its media type says (clients send none, or text/plain), an empty body as none, and forms. */
export function acceptBodies(app: FastifyInstance, depthLimit: number): void {
  app.removeAllContentTypeParsers()
  const json = async (_request: unknown, body: Buffer): Promise<unknown> => parseJsonBody(body, depthLimit)
  app.addContentTypeParser(/^(application\/([\w.-]+\+)?json|text\/plain)/i, { parseAs: 'buffer' }, json)
  app.addContentTypeParser(
    /^application\/(x-ndjson|jsonl)/i,
    { parseAs: 'buffer' },
    async (_request: unknown, body: Buffer) => parseLines(body, depthLimit),
  )
  app.addContentTypeParser(
    /^application\/x-www-form-urlencoded/i,
    { parseAs: 'buffer' },
    async (_request: unknown, body: Buffer) => {
      const text = decode(body)
      // curl sends this media type for JSON when told nothing.
      return text.trimStart().startsWith('{')
        ? parseJsonBody(body, depthLimit)
        : Object.fromEntries(new URLSearchParams(text))
    },
  )
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (request: { headers: Record<string, unknown> }, body: Buffer) => {
      if (body.length === 0) return undefined
      if (request.headers['content-type'] === undefined) return parseJsonBody(body, depthLimit)
      throw new ApiError('unsupported_media_type', 'Send application/json')
    },
  )
}
