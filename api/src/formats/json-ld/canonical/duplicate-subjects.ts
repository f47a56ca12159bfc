import { FormatError } from '../../format-error.js'
import { isObject, type Json, type JsonObject } from '../../json.js'
import { termNameOf } from '../contexts/terms.js'

/** A place of a document at which the id of a thing stands. */
export interface Mention {
  /** The place as a JSON pointer, in which the only value of a member has no number. */
  path: string
  /** True when more than its id is said of the thing here. */
  isDescribed: boolean
}

export const ISSUER = '/issuer'

/**
 * Refuses a document in which claims about one thing could stand in several places. RDF knows which thing a claim is
 * about, not where it is written, so that a claim could be moved to where a reader looks for it, or out of sight.
 *
 * A thing of which more than its id is said stands in one place. Only the id of the issuer may stand in another one
 * beside `issuer`, and then all claims about it stand there: the number of its places is signed, so this one is known.
 * @param root expanded, in its plain form
 * @throws FormatError
 */
export function checkDescribedOnce(root: JsonObject): void {
  for (const [id, all] of mentionsIn(root)) if (all.some(({ isDescribed }) => isDescribed)) checkMentions(id, all)
}

/** Finds the mentions of each thing with an id. @param root expanded */
export function mentionsIn(root: JsonObject): ReadonlyMap<string, readonly Mention[]> {
  const mentions = new Map<string, Mention[]>()
  collectNode(root, '', mentions)
  return mentions
}

function checkMentions(id: string, all: readonly Mention[]): void {
  const issuer = all.find(({ path }) => path === ISSUER)
  const [place, another] = all.filter((mention) => mention !== issuer)
  if (place === undefined) return
  if (another !== undefined)
    throw misplaced(id, `its id stands in ${shown(place)} and in ${shown(another)}: leave it out of one of them`)
  if (issuer?.isDescribed)
    throw misplaced(id, `say all of it in ${shown(place)}, where its id stands too, and leave only its id in ${ISSUER}`)
}

const shown = ({ path }: Mention): string => path || 'the document itself'

const misplaced = (id: string, advice: string): FormatError =>
  new FormatError('malformed', `claims about ${id.slice(0, 100)} could stand in several places: ${advice}`)

function collectNode(node: JsonObject, path: string, mentions: Map<string, Mention[]>): void {
  const { '@id': id, ...members } = node
  if (typeof id === 'string') {
    const mention = { path, isDescribed: Object.keys(members).length > 0 }
    const others = mentions.get(id)
    if (others) others.push(mention)
    else mentions.set(id, [mention])
  }
  for (const [iri, values] of Object.entries(members))
    if (Array.isArray(values)) collectValues(values, `${path}/${termNameOf(iri) ?? iri}`, mentions)
}

function collectValues(values: readonly Json[], path: string, mentions: Map<string, Mention[]>): void {
  for (const [index, value] of values.entries()) {
    if (!isObject(value) || '@value' in value) continue
    const place = values.length > 1 ? `${path}/${index}` : path
    const { '@list': list } = value
    if (Array.isArray(list)) collectValues(list, place, mentions)
    else collectNode(value, place, mentions)
  }
}
