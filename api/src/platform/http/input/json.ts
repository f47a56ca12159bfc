import { visit } from 'jsonc-parser'
import { inexactText, isExact, numberAt } from './exact-number.js'
import { pointerTo } from './pointer.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
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
  isExact: boolean
}

/** Scans bytes that should be JSON; stops when they nest deeper than `depthLimit`. */
export function jsonShape({ buffer, byteOffset, byteLength }: Uint8Array, depthLimit: number): JsonShape {
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  const shape = { depth: 0, members: 0, isExact: true }
  let depth = 0
  let inString = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    if (inString) {
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === COLON) shape.members++
    else if (OPENING.has(byte)) {
      depth++
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
  let found: string | undefined
  visit(text, {
    onLiteralValue: (value, offset, length, _line, _character, pathSupplier) => {
      if (found !== undefined || typeof value !== 'number') return
      const literal = text.slice(offset, offset + length)
      if (!isExact(literal)) found = `${pointerTo(pathSupplier()) || 'The value'}: ${inexactText(literal)}`
    },
  })
  return found ?? 'A number is not kept as it was written: write it as text'
}

/** Names the first repeated member by its JSON pointer, percent-encoded. */
function duplicateIn(text: string): string {
  let found: string | undefined
  const open: Set<string>[] = []
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (name, _offset, _length, _line, _character, pathSupplier) => {
      const names = open.at(-1)
      if (names?.has(name)) found ??= pointerTo([...pathSupplier(), name])
      names?.add(name)
    },
  })
  return found ?? 'A member'
}
