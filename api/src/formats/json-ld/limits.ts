import { FormatError } from '../format-error.js'
import type { Json, JsonObject } from '../json.js'
import { withoutBits } from './status-lists.js'

/** Limits that stand before any canonization or signature: both are costlier than linear in a hostile document. */
export const LIMITS = {
  depth: 32,
  claims: 100,
  nameless: 300,
  bytes: 64 * 1024,
  credentialsOfPresentation: 32,
} as const

/** The limits of a presentation with all its credentials. */
const PRESENTATION = { bytes: 512 * 1024, members: 6_000, nameless: 600 } as const

// Postgres cannot store NUL, and UTF-8 has no form for half a surrogate pair: two texts would hash alike.
const NUL = '\u0000'
const LONE_SURROGATE = /\p{Surrogate}/u
const storable = (text: string): boolean => !text.includes(NUL) && !LONE_SURROGATE.test(text)

/**
 * Refuses texts that cannot be stored or signed faithfully, names that change an object's prototype, and deep nesting.
 */
export function checkTexts(value: Json, depth = 1): void {
  if (depth > LIMITS.depth) throw new FormatError('too_large', `nesting is deeper than ${LIMITS.depth}`)
  if (typeof value === 'string') checkText(value)
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (name === '' || name === '__proto__') throw new FormatError('malformed', `a member cannot be named "${name}"`)
    checkText(name)
    checkTexts(member, depth + 1)
  }
}

function checkText(text: string): void {
  if (!storable(text)) throw new FormatError('malformed', 'a text holds a NUL or broken Unicode')
}

/** Counts the members of the objects below `value`: a signature scheme would call them messages. */
export function countClaims(value: Json | undefined): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countClaims(item), 0)
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, item) => sum + 1 + countClaims(item), 0)
}

/**
 * @param document a credential; its subject has at most 100 claims, the whole at most 300 objects without id and
 *   places in lists, and 64 kB beside the bits of a status list
 * @returns its size in bytes as JSON, without these bits
 */
export function checkLimits(document: JsonObject): number {
  checkTexts(document)
  checkClaims(document.credentialSubject)
  checkNameless(document, LIMITS.nameless)
  return checkBytes(withoutBits(document))
}

/** @param subject of a credential: one object, or several */
export function checkClaims(subject: Json | undefined): void {
  const claims = countClaims(subject)
  if (claims > LIMITS.claims)
    throw new FormatError('too_large', `${claims} claims; at most ${LIMITS.claims} are possible`)
}

export const bytesOf = (document: JsonObject): number => Buffer.byteLength(JSON.stringify(document))

/** @returns its size in bytes as JSON, at most that of a credential */
export function checkBytes(document: JsonObject): number {
  const bytes = bytesOf(document)
  if (bytes > LIMITS.bytes) throw new FormatError('too_large', `${bytes} bytes; at most ${LIMITS.bytes} are possible`)
  return bytes
}

/** @param document a presentation; the limits of each credential in it are checked with that credential */
export function checkPresentationLimits(document: JsonObject): void {
  // A credential of it stands two levels deeper than by itself.
  checkTexts(document, -1)
  const members = countClaims(document)
  if (members > PRESENTATION.members)
    throw new FormatError('too_large', `${members} members; at most ${PRESENTATION.members} are possible`)
  checkNameless(document, PRESENTATION.nameless)
  const bytes = bytesOf(document)
  if (bytes > PRESENTATION.bytes)
    throw new FormatError('too_large', `${bytes} bytes; at most ${PRESENTATION.bytes} are possible`)
}

function checkNameless(document: JsonObject, most: number): void {
  const nameless = countNameless(document)
  if (nameless > most)
    throw new FormatError(
      'too_large',
      `${nameless} objects without id and places in lists; at most ${most} are possible`,
    )
}

/**
 * Objects without id and places in lists: when many look alike, telling them apart takes the square of their number.
 */
export function countNameless(value: Json): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + 1 + countNameless(item), 0)
  if (typeof value !== 'object' || value === null) return 0
  const { '@context': _context, type: _type, ...members } = value
  const own = typeof value.id === 'string' ? 0 : 1
  return Object.values(members).reduce<number>((sum, member) => sum + countNameless(member), own)
}
