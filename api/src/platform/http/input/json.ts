import { inexactText, isExact, numberAt } from './exact-number.js'
import { pointerTo } from './pointer.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const MINUS = 0x2d
const [ZERO, NINE] = [0x30, 0x39]
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/**
 * The shape of JSON, seen before any parser runs: how deep it nests, how many members all its objects have together,
 * and whether a double keeps every number in it as it was written.
 */
export interface JsonShape {
  depth: number
  members: number
  /** The number of commas and opened lists and objects: at least half of the number of values. */
  parts: number
  isExact: boolean
}

/** Scans bytes that should be JSON; stops when they nest deeper than `depthLimit`. */
export function jsonShape({ buffer, byteOffset, byteLength }: Uint8Array, depthLimit: number): JsonShape {
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  const shape = { depth: 0, members: 0, parts: 0, isExact: true }
  let depth = 0
  let inString = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    if (inString) {
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === COLON) shape.members++
    else if (byte === COMMA) shape.parts++
    else if (OPENING.has(byte)) {
      depth++
      shape.parts++
      if (depth > shape.depth) shape.depth = depth
      if (depth > depthLimit) return shape
    } else if (CLOSING.has(byte)) depth--
    else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) {
      const { end, exact } = numberAt(bytes, i)
      shape.isExact &&= exact
      i = end - 1
    }
  }
  return shape
}

/** Counts the members that the objects in a value have together. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce((sum: number, item: unknown) => sum + countMembers(item), 0)
  const members = Object.values(value)
  return members.reduce((sum: number, member: unknown) => sum + countMembers(member), members.length)
}

/** JSON that parsers accept and read differently; its message may be shown, unlike those of the parser. */
export class UnsafeJson extends SyntaxError {}

const DEPTH = 100

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** Parses JSON that is not a body: a fetched document, the header of a token. */
export function parseJson(text: string): Json {
  const shape = jsonShape(Buffer.from(text), DEPTH)
  if (shape.depth > DEPTH) throw new UnsafeJson(`it nests deeper than ${DEPTH} levels`)
  return parseOfShape(text, shape)
}

/**
 * Parses JSON whose depth was checked. Refuses a number that is not kept as it was written, and a member that stands
 * twice in an object, however its name is escaped: parsers keep one of them silently, and not all the same one. A value
 * with a repeated member has fewer members than its text, which only takes a count; the text is read again only to find
 * the member.
 *
 * @throws `SyntaxError` that may quote the text, or `UnsafeJson`
 */
export function parseOfShape(text: string, { members, isExact }: Pick<JsonShape, 'members' | 'isExact'>): Json {
  const value: Json = JSON.parse(text)
  if (!isExact) throw new UnsafeJson(inexactIn(text))
  if (countMembers(value) !== members) throw new UnsafeJson(`${duplicateIn(text)} stands twice in one object`)
  return value
}

/** Names the first number that is not kept, by its JSON pointer, percent-encoded. */
function inexactIn(text: string): string {
  for (const { token, place } of tokens(text))
    if (token[0] !== '"' && !isExact(token)) return `${pointerTo(place()) || 'The value'}: ${inexactText(token)}`
  return 'A number is not kept as it was written: write it as text'
}

/** Names the first repeated member by its JSON pointer, percent-encoded. */
function duplicateIn(text: string): string {
  for (const { isRepeated, place } of tokens(text)) if (isRepeated) return pointerTo(place())
  return 'A member'
}

/** A number, or the name of a member; its place is made only when somebody asks for it. */
interface Token {
  token: string
  isRepeated: boolean
  place(): (string | number)[]
}

/** An open object with the names so far, or an open list. */
interface Open {
  names: Set<string> | undefined
  step: string | number
  isName: boolean
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|-?\d[\d.eE+-]*/g

/**
 * Yields the numbers and the names of a text that is known to be JSON, in order, until the caller has what it looks
 * for. Parsers that tell places make each of them, which takes ten times as long.
 */
function* tokens(text: string): Generator<Token> {
  const open: Open[] = []
  const place = () => open.map(({ step }) => step)
  for (const [token] of text.matchAll(TOKEN)) {
    const within = open.at(-1)
    if (token === '{') open.push({ names: new Set(), step: '', isName: true })
    else if (token === '[') open.push({ names: undefined, step: 0, isName: false })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',') next(within)
    else if (token[0] !== '"') yield { token, isRepeated: false, place }
    else if (within?.isName && within.names) yield { token, isRepeated: named(within, within.names, token), place }
  }
}

function next(within: Open | undefined): void {
  if (within === undefined) return
  if (typeof within.step === 'number') within.step++
  else within.isName = true
}

/** @returns whether the object had the member already */
function named(within: Open, names: Set<string>, token: string): boolean {
  const name: string = token.includes('\\') ? JSON.parse(token) : token.slice(1, -1)
  within.step = name
  within.isName = false
  const before = names.size
  return names.add(name).size === before
}
