import fc from 'fast-check'
import { asArray, isObject, type Json, type JsonObject } from '../json.js'
import { KNOWN_CONTEXTS, LARGE_KNOWN_CONTEXTS, termNames } from './contexts/known-contexts.js'

type Path = readonly (string | number)[]

export interface Place {
  path: Path
  value: Json
}

/** All places below a value with what stands there, its own first; inside contexts only where that is asked for. */
export function* placesOf(value: Json, path: Path = [], inContexts = false): Generator<Place> {
  yield { path, value }
  if (Array.isArray(value)) for (const [at, item] of value.entries()) yield* placesOf(item, [...path, at], inContexts)
  else if (isObject(value))
    for (const [name, item] of Object.entries(value))
      if (inContexts || name !== '@context') yield* placesOf(item, [...path, name], inContexts)
}

/** A copy in which something else stands in one place; undefined: nothing. */
export function withValue(value: Json, [name, ...rest]: Path, other: Json | undefined): Json | undefined {
  if (name === undefined) return other
  const changed = Object.entries(value ?? {}).flatMap(([own, inner]: [string, Json]): [string, Json][] => {
    const result = own === String(name) ? withValue(inner, rest, other) : inner
    return result === undefined ? [] : [[own, result]]
  })
  if (Array.isArray(value)) return changed.map(([, item]) => item)
  const isThere = changed.some(([own]) => own === String(name)) || rest.length > 0 || other === undefined
  return Object.fromEntries(isThere ? changed : [...changed, [String(name), other]])
}

const isLarge = (url: string): boolean => LARGE_KNOWN_CONTEXTS.includes(url)
const KEYWORDS = [
  ...['@id', '@type', '@value', '@list', '@set', '@language', '@direction', '@index', '@graph', '@included'],
  ...['@nest', '@reverse', '@json', '@none', '@base', '@vocab', '@container', '@context', '@version'],
]
const MADE_UP = ['made', 'up', 'x:y', 'rel/x', '_:p', 'https://v.example/p', 'a b', ' ', 'é']
/** The thousands of names of a large one would hardly leave room for others. */
const KNOWN = [
  ...new Set([...KNOWN_CONTEXTS].flatMap(([url, context]) => (isLarge(url) ? [] : [...termNames(context)]))),
]
/** The optional members of credentials, presentations and their proofs. */
const OPTIONAL = [
  ...['id', 'type', 'holder', 'evidence', 'termsOfUse', 'refreshService', 'credentialStatus', 'credentialSchema'],
  ...['verifiableCredential', 'issuer', 'expirationDate', 'challenge', 'domain', 'nonce', 'expires', 'previousProof'],
]
export const anyName = fc.oneof(
  ...[OPTIONAL, MADE_UP, KNOWN, KEYWORDS].map((names) => ({ weight: 1, arbitrary: fc.constantFrom(...names) })),
)

/** Values that RDF may lose. */
const LOST: Json[] = [
  ...['', ' ', '#', '/', 'relative', '?q', '_:b0', '_:', ':', '@id', '@none', 'http://', 'did:example:a b', 'urn:x:1'],
  ...[0, -1, 0.5, false, true, null, [], {}, [null], [''], [[]], [{}], [[], []]],
  ...[{ id: '' }, { id: null }, { '@id': '' }, [{ id: '' }], { id: 'relative' }, { id: '_:b0' }, { type: '' }],
  ...[{ type: [] }, { '@type': null }, { '@value': '' }, { '@value': null }, { '@value': null, '@type': '@json' }],
  ...[
    { '@value': 'x', '@language': '' },
    { '@value': 'x', '@language': 'not a language' },
  ],
  ...[
    { '@value': 'x', '@language': 'en', '@direction': 'rtl' },
    { '@value': 'x', '@direction': 'rtl' },
  ],
  ...[
    { '@value': 'x', '@type': '' },
    { '@value': 'x', '@type': 'relative' },
    { '@value': 'x', '@index': 'i' },
  ],
  ...[{ '@list': [] }, { '@list': [''] }, { '@set': [] }, { '@graph': [] }, { '@graph': [{}] }, { '@included': [] }],
  ...[{ '@index': 'i' }, { '@reverse': {} }, { '@nest': {} }, { '@none': 'x' }, { en: '' }, { '': '' }],
]

type Meaning = (name: string) => JsonObject

const asReference: Meaning = (name) => ({
  [name]: { '@id': `https://v.example/${encodeURIComponent(name)}`, '@type': '@id' },
})

/** Meanings that a context might give to a name. */
const MEANINGS: Meaning[] = [
  ...['@vocab', '@json', '@none', 'https://v.example/type'].map((type) => (name: string) => ({
    [name]: { '@id': `https://v.example/${encodeURIComponent(name)}`, '@type': type },
  })),
  ...['@set', '@list', '@language', '@index', '@id', '@type', '@graph'].map((container) => (name: string) => ({
    [name]: { '@id': 'https://v.example/c', '@container': container },
  })),
  ...['@nest', '@index', '@included', '@graph', '@reverse', '@id', '@type', '@set', '_:p', 'rel', ''].map(
    (iri) => (name: string) => ({ [name]: iri }),
  ),
  (name) => ({ [name]: { '@id': 'https://www.w3.org/2018/credentials#holder', '@type': '@id' } }),
  () => ({ '@vocab': 'https://v.example/' }),
  () => ({ '@base': 'https://v.example/' }),
]

const anyMeaning = fc.oneof(
  ...[undefined, asReference].map((meaning) => ({ weight: 1, arbitrary: fc.constant(meaning) })),
  { weight: 1, arbitrary: fc.constantFrom(...MEANINGS) },
)

export const anyValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom<Json>('', [''], { id: '' }) },
  { weight: 2, arbitrary: fc.constantFrom(...LOST) },
  {
    weight: 1,
    arbitrary: fc
      .jsonValue({ maxDepth: 2, noUnicodeString: true })
      .map((value): Json => JSON.parse(JSON.stringify(value))),
  },
)

export interface Mutant {
  what: string
  document: JsonObject
}

const inContext = (document: JsonObject, more: JsonObject[]): JsonObject => ({
  ...document,
  '@context': [...asArray(document['@context']), ...more],
})

/** A document with a member more, anywhere in it, and perhaps with a context that gives it a meaning. */
const withMore = (document: JsonObject): fc.Arbitrary<Mutant> => {
  const objects = [...placesOf(document)].filter(({ value }) => isObject(value))
  return fc
    .record({
      place: fc.constantFrom(...objects),
      name: anyName,
      value: anyValue,
      meaning: anyMeaning,
    })
    .filter(({ place, name }) => isObject(place.value) && !(name in place.value))
    .map(({ place: { path }, name, value, meaning }) => ({
      what: `${[...path, name].join('/')} = ${JSON.stringify(value)}`,
      document: inContext(asDocument(withValue(document, [...path, name], value)), meaning ? [meaning(name)] : []),
    }))
}

/** A document that lacks something, or of which one leaf is another. */
const withLess = (document: JsonObject): fc.Arbitrary<Mutant> => {
  const places = [...placesOf(document)].filter(({ path }) => path.length > 0)
  const changed = fc
    .record({
      place: fc.constantFrom(...places.filter(({ value }) => typeof value !== 'object')),
      value: anyValue,
    })
    .filter(({ place, value }) => JSON.stringify(place.value) !== JSON.stringify(value))
  return fc
    .oneof(changed, fc.record({ place: fc.constantFrom(...places), value: fc.constant(undefined) }))
    .map(({ place: { path }, value }) => ({
      what: `${path.join('/')} = ${JSON.stringify(value) ?? 'left out'}`,
      document: asDocument(withValue(document, path, value)),
    }))
}

function asDocument(value: Json | undefined): JsonObject {
  if (!isObject(value)) throw new TypeError('a document is an object')
  return value
}

/** A good document, changed so that a reader notices. */
export const mutantOf = (document: JsonObject): fc.Arbitrary<Mutant> =>
  fc.oneof({ weight: 2, arbitrary: withMore(document) }, { weight: 1, arbitrary: withLess(document) })
