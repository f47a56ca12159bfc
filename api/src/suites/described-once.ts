import { isObject, type Json, type JsonObject } from './json.js'
import { CREDENTIALS } from './namespaces.js'
import { SuiteError } from './suite-error.js'
import { termNameOf } from './terms.js'

/** One place of a document at which the id of a thing stands. */
interface Mention {
  way: Way
  /** Whether more is said of the thing here than its id. */
  isDescribed: boolean
}

/** The steps from the document to a place in it. */
type Way = readonly Step[]

interface Step {
  /** Orders this step among those that begin where it does, by nothing but what is signed. */
  rank: readonly (string | number)[]
  /** How a JSON pointer calls it; nothing for the only value of a member. */
  name: string | undefined
}

/**
 * Refuses a document in which claims about one thing could stand in several places. RDF knows which thing a claim is about,
 * not where it is written, so that a claim could be moved to where a reader looks for it, or out of sight.
 *
 * Each thing with an id is described at the first of the places where its id stands, and nowhere else. Which place that is
 * follows from what is signed, whatever is moved: the subject comes before the issuer, the issuer before all else; within
 * them the fewest steps count, then the IRIs of the members, then the place in a list, or the id of one among several.
 * (Proof by the number of steps: where things are described that are fewer steps away decides which places there are at the
 * next one.)
 * @param root expanded, in its plain form
 * @throws SuiteError
 */
export function checkDescribedOnce(root: JsonObject): void {
  const mentions = new Map<string, Mention[]>()
  collectNode(root, [], mentions)
  for (const [id, all] of mentions) if (all.length > 1 && all.some(isDescribed)) checkMentions(id, all)
}

const isDescribed = (mention: Mention): boolean => mention.isDescribed

function checkMentions(id: string, all: readonly Mention[]): void {
  const described = all.filter(isDescribed)
  const first = all.reduce((best, mention) => (compareWays(mention.way, best.way) < 0 ? mention : best))
  if (all.some((mention) => mention !== first && compareWays(mention.way, first.way) === 0))
    throw misplaced(id, `${pointerTo(first.way)} stands for it and so does another item beside it: give it one place`)
  const wrong = described.find((mention) => mention !== first)
  if (wrong === undefined) return
  const [there, here] = [pointerTo(first.way), pointerTo(wrong.way)]
  throw misplaced(id, `say all of it in ${there}, where its id stands too, and leave only its id in ${here}`)
}

const misplaced = (id: string, advice: string): SuiteError =>
  new SuiteError('malformed', `claims about ${id.slice(0, 100)} could stand in several places of it: ${advice}`)

function collectNode(node: JsonObject, way: Way, mentions: Map<string, Mention[]>): void {
  const { '@id': id, ...members } = node
  if (typeof id === 'string') {
    const mention = { way, isDescribed: Object.keys(members).length > 0 }
    const others = mentions.get(id)
    if (others) others.push(mention)
    else mentions.set(id, [mention])
  }
  for (const [iri, values] of Object.entries(members)) {
    const step = { rank: way.length === 0 ? [...rankInDocument(iri), iri] : [iri], name: termNameOf(iri) ?? iri }
    if (Array.isArray(values)) collectValues(values, [...way, step], mentions)
  }
}

const SUBJECT = `${CREDENTIALS}credentialSubject`
const ISSUER = `${CREDENTIALS}issuer`

/** The subject satisfies a schema, so that all of it is looked for there. */
const rankInDocument = (iri: string): number[] => [iri === SUBJECT ? 0 : iri === ISSUER ? 1 : 2]

/** The order of several values of a member is not signed: only their ids tell them apart. */
function collectValues(values: Json[], way: Way, mentions: Map<string, Mention[]>): void {
  for (const [place, value] of values.entries()) {
    if (!isObject(value) || '@value' in value) continue
    const { '@id': id, '@list': list } = value
    const name = values.length > 1 ? String(place) : undefined
    const step = { rank: [typeof id === 'string' ? id : ''], name }
    if (Array.isArray(list)) collectList(list, way, mentions)
    else collectNode(value, [...way, step], mentions)
  }
}

function collectList(items: Json[], way: Way, mentions: Map<string, Mention[]>): void {
  for (const [place, item] of items.entries()) {
    if (!isObject(item) || '@value' in item) continue
    const inside = [...way, { rank: [place], name: String(place) }]
    if (Array.isArray(item['@list'])) collectList(item['@list'], inside, mentions)
    else collectNode(item, inside, mentions)
  }
}

function compareWays(a: Way, b: Way): number {
  const [[part = 0] = [], [otherPart = 0] = []] = [a[0]?.rank, b[0]?.rank]
  if (part !== otherPart) return part < otherPart ? -1 : 1
  if (a.length !== b.length) return a.length - b.length
  for (const [place, { rank }] of a.entries())
    for (const [at, mine] of rank.entries()) {
      const other = b[place]?.rank[at] ?? mine
      if (mine !== other) return mine < other ? -1 : 1
    }
  return 0
}

const pointerTo = (way: Way): string =>
  way.length === 0 ? 'the document itself' : way.flatMap(({ name }) => (name === undefined ? [] : [`/${name}`])).join('')
