import { isObject, type Json, type JsonObject } from './json.js'
import { CREDENTIALS } from './namespaces.js'
import { SuiteError } from './suite-error.js'
import { termNameOf } from './terms.js'

export interface Mention {
  /** What is said of the thing here. */
  names: string[]
  isIssuer: boolean
}

/** What an issuer shows of itself. Where else its id stands, this may be said too: nobody is misled. */
const PROFILE = new Set(['name', 'description', 'logo', 'image', 'url', '@type'])

/**
 * Refuses a document in which claims about one thing could stand in several places: RDF knows which thing a claim is
 * about, not where it is written, so that a claim could be moved out of sight, or a subject be split in two.
 * @param root expanded
 * @throws SuiteError
 */
export function checkDescribedOnce(root: JsonObject): void {
  for (const [id, all] of mentionsIn(root))
    if (!isDescribedOnce(all))
      throw new SuiteError('malformed', `claims about ${id.slice(0, 100)} could stand in several places of it`)
}

function isDescribedOnce(all: readonly Mention[]): boolean {
  const issuer = all.find(({ isIssuer, names }) => isIssuer && names.every((name) => PROFILE.has(name)))
  const others = all.filter((mention) => mention !== issuer)
  const described = others.find(({ names }) => names.length > 0)
  if (described === undefined) return true
  return others.length === 1 && !described.names.some((name) => issuer?.names.includes(name))
}

/** Where each thing with an id is mentioned. @param root expanded */
export function mentionsIn(root: JsonObject): ReadonlyMap<string, readonly Mention[]> {
  const mentions = new Map<string, Mention[]>()
  collect(root, mentions, false)
  return mentions
}

function collect(value: Json, mentions: Map<string, Mention[]>, isIssuer: boolean): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, mentions, isIssuer)
    return
  }
  if (!isObject(value) || '@value' in value) return
  const { '@id': id, '@list': list, ...members } = value
  if (list !== undefined) collect(list, mentions, isIssuer)
  if (typeof id === 'string') {
    const names = Object.keys(members).map((iri) => (iri === '@type' ? iri : (termNameOf(iri) ?? iri)))
    mentions.set(id, [...(mentions.get(id) ?? []), { names, isIssuer }])
  }
  for (const [iri, inner] of Object.entries(members)) collect(inner, mentions, iri === `${CREDENTIALS}issuer`)
}
