import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError, invalid } from '../../errors.js'
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
  if (typeof value !== 'object' || value === null || value instanceof UnreadBody) return
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__') throw invalid('A member must not be named __proto__')
    refuseUnstorable(name)
    refuseUnstorable(member)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Depth is checked before any parser runs. */
function shapeOf(bytes: Uint8Array, depthLimit: number): JsonShape {
  const shape = jsonShape(bytes, depthLimit)
  if (shape.depth > depthLimit) throw invalid(`JSON nests deeper than ${depthLimit} levels`)
  return shape
}

/**
 * The most commas, lists and objects in a body that the thread of all requests reads. Every reader of a body takes time
 * for each of its values, and no operation has a use for so many: the largest presentation has 6,000 members.
 */
const MOST_PARTS = 20_000

const tooManyParts = (most: number): ApiError =>
  new ApiError('payload_too_large', `The body holds more than ${most.toLocaleString('en')} values`)

/** Counts no further than one past the most. */
function newlinesIn(bytes: Uint8Array, most: number): number {
  let count = 0
  for (let at = bytes.indexOf(0x0a); at >= 0 && count <= most; at = bytes.indexOf(0x0a, at + 1)) count += 1
  return count
}

function parseJsonBody(bytes: Uint8Array, depthLimit: number, mostParts = Number.POSITIVE_INFINITY): unknown {
  const shape = shapeOf(bytes, depthLimit)
  if (shape.parts > mostParts) throw tooManyParts(mostParts)
  const text = decode(bytes)
  if (text.trim() === '') return undefined
  try {
    return parseOfShape(text, shape)
  } catch (error) {
    // The cause is left out: the parser quotes the body, which may hold a password, and causes are logged.
    throw invalid(error instanceof UnsafeJson ? error.message : 'The body is not valid JSON')
  }
}

/** Parses one JSON value in each non-empty line, as an array of them. */
function parseLines(bytes: Uint8Array, depthLimit: number, mostParts = Number.POSITIVE_INFINITY): unknown[] {
  const { parts } = shapeOf(bytes, depthLimit)
  if (parts + newlinesIn(bytes, mostParts) > mostParts) throw tooManyParts(mostParts)
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

/** A body that is not read yet: it may be so large that a thread has to read it. */
export class UnreadBody {
  constructor(
    readonly bytes: Uint8Array,
    /** One JSON value in each line. */
    readonly isLines: boolean,
  ) {}

  /** Returns a digest that tells it from other bodies. */
  toJSON(): unknown {
    return { isLines: this.isLines, sha256: createHash('sha256').update(this.bytes).digest('base64') }
  }
}

/** @throws `ApiError` for what is no JSON of this depth */
export const readBody = ({ bytes, isLines }: Pick<UnreadBody, 'bytes' | 'isLines'>, depthLimit: number): unknown =>
  isLines ? parseLines(bytes, depthLimit) : parseJsonBody(bytes, depthLimit)

const NAMED = 20

/** Returns the rows by number, and reads no more of them than the caller does. */
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

export const LINES = 'application/x-ndjson'

/** The media types of a signed token, which is text. */
export const TOKEN_TYPES = [
  'application/jwt',
  'application/vc+jwt',
  'application/vp+jwt',
  'application/sd-jwt',
  'application/dc+sd-jwt',
  'application/vc+sd-jwt',
] as const

export type TokenType = (typeof TOKEN_TYPES)[number]

/**
 * Reads JSON whatever its media type is (clients send none, or text/plain), an empty body as none, and forms.
 *
 * @param admit lets a request into work whose body is there: reading it is the first part
 */
export function acceptBodies(
  app: FastifyInstance,
  depthLimit: number,
  admit: (request: FastifyRequest) => Promise<void>,
): void {
  app.removeAllContentTypeParsers()
  const read =
    (parse: (bytes: Buffer, request: FastifyRequest) => unknown, isLines = false) =>
    async (request: FastifyRequest, bytes: Buffer): Promise<unknown> => {
      const { operation } = request.routeOptions.config
      if (operation) await admit(request)
      if (operation?.bodyUnread) return new UnreadBody(bytes, isLines)
      return parse(bytes, request)
    }
  const json = (bytes: Buffer): unknown => parseJsonBody(bytes, depthLimit, MOST_PARTS)
  const wrongType = () => new ApiError('unsupported_media_type', 'Send application/json')
  const asBuffer = { parseAs: 'buffer' } as const
  app.addContentTypeParser(
    /^application\/(x-ndjson|jsonl)/i,
    asBuffer,
    read((bytes, { routeOptions: { config } }) => {
      const { bodyTypes, linesAre } = config.operation ?? {}
      if (!bodyTypes?.includes(LINES) || linesAre === undefined) throw wrongType()
      return { [linesAre]: parseLines(bytes, depthLimit, MOST_PARTS) }
    }, true),
  )
  app.addContentTypeParser(
    /^application\/x-www-form-urlencoded/i,
    asBuffer,
    read((bytes) => {
      const text = decode(bytes)
      // curl sends this media type for JSON unless it is told another.
      return text.trimStart().startsWith('{') ? json(bytes) : parseForm(text)
    }),
  )
  app.addContentTypeParser(
    [...TOKEN_TYPES],
    asBuffer,
    read((bytes, { headers, routeOptions: { config } }) => {
      const type = TOKEN_TYPES.find((one) => headers['content-type']?.toLowerCase().startsWith(one))
      if (type === undefined || !config.operation?.bodyTypes?.includes(type)) throw wrongType()
      return decode(bytes)
    }),
  )
  const readJson = read(json)
  app.addContentTypeParser(/^(application\/([\w.-]+\+)?json|text\/plain)/i, asBuffer, readJson)
  app.addContentTypeParser('*', asBuffer, async (request: FastifyRequest, bytes: Buffer) => {
    if (bytes.length > 0 && request.headers['content-type'] !== undefined) throw wrongType()
    return readJson(request, bytes)
  })
}
