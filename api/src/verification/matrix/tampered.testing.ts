import type { Credential } from '../../formats/credential-format.js'
import { isObject, type Json } from '../../formats/json.js'
import { type Place, placesOf, withValue } from '../../formats/json-ld/mutants.testing.js'
import { isCostly, type Line } from './lines.testing.js'
import { closed, opened } from './opened.testing.js'

export interface Tampered {
  what: string
  credential: Credential
}

/**
 * Of so many places one has its turn; of so many where looking takes long. A line has at least four credentials, and the
 * three lines with anonymous credentials have twelve together, so that every place has its turn.
 */
const [EVERY, COSTLY_EVERY] = [4, 12]
const SMUGGLED = 'smuggled'

/** Another value of the same type. */
function otherValue(value: Json): Json {
  if (typeof value === 'string') return `${value}x`
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  return 0
}

/** The changes of one place: a leaf is another, a member or item is gone, an object or list has one more. */
const CHANGES: Record<string, (credential: Credential, place: Place) => Json | undefined> = {
  changed: (credential, { path, value }) =>
    typeof value === 'object' && value !== null ? undefined : withValue(opened(credential), path, otherValue(value)),
  removed: (credential, { path }) => (path.length === 0 ? undefined : withValue(opened(credential), path, undefined)),
  added: (credential, { path, value }) => {
    if (Array.isArray(value))
      return withValue(opened(credential), path, [...value, value.some(isObject) ? { [SMUGGLED]: 1 } : SMUGGLED])
    return isObject(value) ? withValue(opened(credential), [...path, SMUGGLED], 1) : undefined
  },
}

/** A holder may leave out a disclosure, and what stands behind its token is no part of what the issuer signed. */
const isHiding = ({ holderMayHide }: Line, { path }: Place): boolean =>
  holderMayHide === true && path[0] === 'behind' && path.length === 2

/**
 * Every change of every member, one at a time.
 * @param turn undefined: all changes of each place; otherwise one of them, in turn, of some places, so that credentials
 *   with turns one after the other have all places and, with more of them, other changes
 */
export function tamperedOf(line: Line, credential: Credential, turn?: number): Tampered[] {
  const places = [...placesOf(opened(credential), [], line.signed !== 'statements')]
  const every = turn === undefined ? 1 : isCostly(line) ? COSTLY_EVERY : EVERY
  return places.flatMap((place, at) => {
    if ((at + (turn ?? 0)) % every !== 0) return []
    const possible = Object.entries(CHANGES).flatMap(([kind, change]): Tampered[] => {
      if (kind === 'removed' && isHiding(line, place)) return []
      const tree = change(credential, place)
      if (!isObject(tree)) return []
      const told = closed(credential, tree)
      return told === credential ? [] : [{ what: `${place.path.join('/')} ${kind}`, credential: told }]
    })
    const one = turn === undefined ? undefined : possible[Math.floor((at + turn) / every) % possible.length]
    return turn === undefined ? possible : one === undefined ? [] : [one]
  })
}
