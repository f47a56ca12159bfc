import fc from 'fast-check'
import jsonld from 'jsonld'
import { expect, it } from 'vitest'
import { FormatError } from '../../format-error.js'
import { isObject, type Json, type JsonObject } from '../../json.js'
import { NO_EXTRA_CONTEXTS } from '../contexts/document-loader.js'
import { CREDENTIALS_V1, ED25519_2020, STATUS_LIST_2021 } from '../contexts/known-contexts.js'
import { placesOf, withValue } from '../mutants.testing.js'
import { canonize } from './canonize.js'
import { checkAllStated, countStatements } from './statements.js'

async function stated(expanded: Json): Promise<void> {
  const options = { base: null, safe: true, algorithm: 'RDFC-1.0', format: 'application/n-quads' } as const
  const documentLoader = documentLoaderOfNothing
  const form = await jsonld.canonize(structuredClone(expanded), { ...options, skipExpansion: true, documentLoader })
  checkAllStated(countStatements(expanded), form)
}
const documentLoaderOfNothing = () => Promise.reject(new Error('nothing is loaded here'))

it.each<[string, Json]>([
  ['nothing', []],
  ['a thing of which nothing is said', {}],
  [
    'types, values and references',
    { '@id': 'urn:a', '@type': ['urn:t', 'urn:u'], 'urn:p': [{ '@value': 1 }, { '@id': 'urn:b' }] },
  ],
  [
    'lists, also empty ones and lists of lists',
    { 'urn:p': [{ '@list': [{ '@value': 1 }, { '@list': [] }] }, { '@list': [] }] },
  ],
  [
    'nameless things, each of its own',
    { 'urn:p': [{}, {}, { 'urn:q': [{ '@value': 1 }] }, { 'urn:q': [{ '@value': 1 }] }] },
  ],
  [
    'what is said of one thing in two places',
    { '@id': 'urn:a', 'urn:p': [{ '@value': 1 }], 'urn:q': [{ '@id': 'urn:a', 'urn:p': [{ '@value': 1 }] }] },
  ],
  [
    'one text in several types and languages',
    {
      '@id': 'urn:a',
      'urn:p': [
        { '@value': 'x' },
        { '@value': 'y' },
        { '@value': 'x', '@type': 'urn:t' },
        { '@value': 'x', '@type': 'urn:u' },
        { '@value': 'x', '@language': 'de' },
        { '@value': 'x', '@language': 'en' },
      ],
    },
  ],
  [
    'a thing of another and the same thing in a graph',
    { '@id': 'urn:a', '@type': ['urn:t'], '@graph': [{ '@id': 'urn:a', '@type': ['urn:t'] }] },
  ],
  ['graphs', { 'urn:p': [{ '@graph': [{ '@id': 'urn:a', 'urn:p': [{ '@value': 1 }] }] }], '@id': 'urn:a' }],
])('as many statements are counted as the library makes: %s', async (_, expanded) => {
  await expect(stated(expanded)).resolves.toBeUndefined()
})

it.each<[string, Json]>([
  ['an empty reference', { '@id': 'urn:a', 'urn:p': [{ '@id': '' }] }],
  ['a thing without a name of its own', { '@id': '', 'urn:p': [{ '@value': 1 }] }],
  ['a property without a name', { '@id': 'urn:a', '': [{ '@value': 1 }] }],
  ['a nameless property', { '@id': 'urn:a', '_:p': [{ '@value': 1 }] }],
  [
    'a number as another number',
    {
      '@id': 'urn:a',
      'urn:p': [{ '@value': 1 }, { '@value': '1', '@type': 'http://www.w3.org/2001/XMLSchema#integer' }],
    },
  ],
])('a member that leaves no statement is noticed: %s', async (_, expanded) => {
  await expect(stated(expanded)).rejects.toThrow(Error)
})

it.each<[string, Json, string]>([
  [
    'a direction written as the datatype that it becomes',
    { 'urn:p': [{ '@value': 'x', '@type': 'https://www.w3.org/ns/i18n#ar_rtl' }] },
    'https://www.w3.org/ns/i18n#ar_rtl',
  ],
  ['an index', { '@id': 'urn:a', '@index': 'x' }, '@index'],
  ['an index of a value', { 'urn:p': [{ '@value': 'x', '@index': 'y' }] }, '@index'],
  ['a keyword with a long name', { [`@${'x'.repeat(64)}`]: [] }, `@${'x'.repeat(63)}`],
  ['a text among things', ['x'], 'something that is no thing'],
  ['a text among the things of a graph', { '@graph': ['x'] }, 'something that is no thing'],
  ['a text among values', { 'urn:p': ['x'] }, 'a value of no form'],
  ['a text in a list', { 'urn:p': [{ '@list': ['x'] }] }, 'a value of no form'],
])('a member that can leave no statement is named: %s', (_, expanded, what) => {
  const told = new FormatError('malformed', `${what} in it leaves no statement that is signed`)
  expect(() => countStatements(expanded)).toThrow(told)
})

it('a set of statements that is short of one is refused as malformed', () => {
  const quad = '<urn:a> <urn:p> "x" .\n'
  expect(() => checkAllStated(1, quad.repeat(2))).not.toThrow()
  for (const count of [0, 2]) {
    const refused = expect.objectContaining({ code: 'malformed', message: expect.stringContaining('is signed') })
    expect(() => checkAllStated(count, quad)).toThrow(refused)
  }
})

const canonical = async (document: JsonObject): Promise<string | undefined> => {
  try {
    return await canonize(document, NO_EXTRA_CONTEXTS)
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

const term = (name: string, more: JsonObject = {}): JsonObject => ({
  [name]: { '@id': `https://v.example/${name}`, ...more },
})
const CONTEXT: Json[] = [
  CREDENTIALS_V1,
  STATUS_LIST_2021,
  ED25519_2020,
  {
    ...term('text'),
    ...term('more'),
    ...term('reference', { '@type': '@id' }),
    ...term('list', { '@container': '@list' }),
    ...term('references', { '@type': '@id', '@container': '@list' }),
    ...term('json', { '@type': '@json' }),
    ...term('date', { '@type': 'http://www.w3.org/2001/XMLSchema#date' }),
  },
]
const text: fc.Arbitrary<Json> = fc.constantFrom('', 'x', 'urn:x:1', 'relative', '2026-01-01', 'ü\n"\\')
const iri: fc.Arbitrary<Json> = fc.constantFrom('', 'urn:x:1', 'urn:x:2', 'did:example:a', 'relative', '_:b0', 'a b:c')
const leaf: fc.Arbitrary<Json> = fc.oneof(
  text,
  fc.constantFrom<Json>(true, false, 0, 1, -1, 0.1, 1e21, 1.5e-9, { '@value': 'x', '@language': 'de' }),
)
const anything: fc.Arbitrary<Json> = fc.oneof(leaf, iri, fc.constantFrom<Json>(null, [], {}, { id: '' }, [null]))

/** Mostly what is accepted, and in each place now and then something else. */
const mostly = (arbitrary: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.oneof({ weight: 15, arbitrary }, { weight: 1, arbitrary: anything })
const thing = (depth: number): fc.Arbitrary<JsonObject> => {
  const inner = depth > 0 ? thing(depth - 1) : leaf
  const members = {
    ...{ id: mostly(iri), type: fc.constantFrom('text', 'more'), text: mostly(leaf), more: mostly(inner) },
    ...{ reference: mostly(iri), list: mostly(fc.array(fc.oneof(leaf, inner), { maxLength: 3 })) },
    ...{ references: mostly(fc.array(iri, { maxLength: 2 })), json: mostly(anything), date: mostly(text) },
    ...{ evidence: mostly(fc.oneof(iri, fc.array(inner, { maxLength: 2 }))), holder: mostly(iri) },
  }
  return fc
    .record(members, { requiredKeys: [], noNullPrototype: true })
    .chain((all) =>
      fc
        .subarray(Object.entries(all), { maxLength: Math.min(3, Object.keys(all).length) })
        .map((some): JsonObject => Object.fromEntries(some)),
    )
}

it('each leaf of what is accepted changes the canonical form, whatever stands in its place', async () => {
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(thing(2), anything, async (credentialSubject, other) => {
      const document: JsonObject = {
        '@context': CONTEXT,
        id: 'urn:x:0',
        type: ['VerifiableCredential'],
        credentialSubject,
      }
      const form = await canonical(document)
      if (form === undefined) return
      accepted++
      for (const { path, value } of placesOf(document)) {
        const isLeaf = typeof value !== 'object' || value === null || Object.keys(value).length === 0
        if (path.length === 0 || !isLeaf) continue
        for (const instead of [undefined, other, `${String(value)}x`]) {
          if (JSON.stringify(instead) === JSON.stringify(value)) continue
          const changed = withValue(document, path, instead)
          expect(
            isObject(changed) && (await canonical(changed)),
            `${path.join('/')}: ${JSON.stringify(instead)}`,
          ).not.toBe(form)
        }
      }
    }),
    { numRuns: Number(process.env.SOAK_LEAVES ?? 150), endOnFailure: true },
  )
  expect(accepted).toBeGreaterThan(20)
})
