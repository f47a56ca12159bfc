import type { FastifyInstance } from 'fastify'
import { ApiError, invalid } from './errors.js'
import { type JsonShape, jsonShape, parseOfShape, UnsafeJson } from './json.js'

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

/** Depth is looked at before any parser runs. */
function shapeOf(bytes: Uint8Array, depthLimit: number): JsonShape {
  const shape = jsonShape(bytes, depthLimit)
  if (shape.depth > depthLimit) throw invalid(`JSON nests deeper than ${depthLimit} levels`)
  return shape
}

function parseJsonBody(bytes: Uint8Array, depthLimit: number): unknown {
  const shape = shapeOf(bytes, depthLimit)
  const text = decode(bytes)
  if (text.trim() === '') return undefined
  try {
    return parseOfShape(text, shape)
  } catch (error) {
    // Without its cause: the parser quotes the body, which may hold a password, and causes are logged.
    throw invalid(error instanceof UnsafeJson ? error.message : 'The body is not valid JSON')
  }
}

/** One JSON value in each line that is not empty: as an array of them. */
function parseLines(bytes: Uint8Array, depthLimit: number): unknown[] {
  shapeOf(bytes, depthLimit)
  const values: unknown[] = []
  const broken: number[] = []
  for (const line of decode(bytes).split('\n')) {
    if (line.trim() === '') continue
    try {
      values.push(parseOfShape(line, jsonShape(Buffer.from(line), depthLimit)))
    } catch (error) {
      if (error instanceof UnsafeJson) throw invalid(`Row ${values.length + 1}: ${error.message}`)
      broken.push(values.push(undefined))
    }
  }
  if (broken.length > 0) throw invalid(`Not valid JSON: ${rowsNamed(broken)}`)
  return values
}

/** A form has no parameter twice, as JSON has no member twice. */
function parseForm(text: string): Record<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (values.has(name)) throw invalid(`${name.slice(0, 64)} stands twice in the form`)
    values.set(name, value)
  }
  return Object.fromEntries(values)
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
      return text.trimStart().startsWith('{') ? parseJsonBody(body, depthLimit) : parseForm(text)
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
