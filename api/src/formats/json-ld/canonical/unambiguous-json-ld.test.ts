import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FormatError } from '../../format-error.js'
import { asArray, isObject, type Json, type JsonObject } from '../../json.js'
import { contextFor } from '../contexts/credential-context.js'
import { NO_EXTRA_CONTEXTS } from '../contexts/document-loader.js'
import { ED25519_2020 } from '../contexts/known-contexts.js'
import { CREDENTIALS, RDF, SECURITY, STATUS, XSD } from '../contexts/namespaces.js'
import { RELATIVE_IDS, termIri } from '../contexts/terms.js'
import { addProof, checkProof } from '../linked-data-proof.js'
import { ed25519Of2020 } from '../suites/ed25519-2020.js'
import { testKey, toolsHere, unsignedCredential } from '../testing.js'
import { hashHere } from './canonize.js'
import { checkUnambiguous, compared } from './unambiguous-json-ld.js'

const key = testKey()
const PRICE = 'https://v.example/price'
const FOREIGN_NAME = 'https://v.example/name'

describe('a written value, beside the signed one', () => {
  /** Why it is refused; undefined: it is not. */
  function refusalOf(json: JsonObject, node: JsonObject): string | undefined {
    try {
      checkUnambiguous({ json, node })
      return undefined
    } catch (error) {
      if (error instanceof FormatError && error.code === 'malformed') return error.message
      throw error
    }
  }

  const FOREIGN = 'https://v.example/claim'
  const OWN = termIri('claim')
  const EVIDENCE = `${CREDENTIALS}evidence`
  const ISSUER = `${CREDENTIALS}issuer`
  const PURPOSE = `${SECURITY}proofPurpose`
  const literal = (value: Json, type?: string): JsonObject => ({ '@value': value, ...(type && { '@type': type }) })
  const tagged: JsonObject = { '@value': 'Abschluss', '@language': 'de' }
  const directed: JsonObject = { '@value': 'x', '@direction': 'rtl' }
  const list = (...items: Json[]): JsonObject => ({ '@list': items })
  const kind = (value: string): JsonObject => ({ [termIri('kind')]: [literal(value)] })

  it.each<[string, string, Json, Json[]]>([
    ['a text', FOREIGN, 'x', [literal('x')]],
    ['a text of a type', FOREIGN, '2026-01-01', [literal('2026-01-01', `${XSD}date`)]],
    ['a boolean', FOREIGN, false, [literal(false)]],
    ['a boolean of its type', FOREIGN, true, [literal(true, `${XSD}boolean`)]],
    ['a number', FOREIGN, 0.25, [literal(0.25)]],
    ['a whole number of its type', FOREIGN, 5, [literal(5, `${XSD}integer`)]],
    ['a number of its type', FOREIGN, 1.5, [literal(1.5, `${XSD}double`)]],
    ['the largest whole number', FOREIGN, Number.MAX_SAFE_INTEGER, [literal(Number.MAX_SAFE_INTEGER)]],
    ['JSON', FOREIGN, [1, { a: null }], [literal([1, { a: null }], '@json')]],
    ['a text in a language', FOREIGN, tagged, [tagged]],
    ['a language in other letters', FOREIGN, { ...tagged, '@language': 'DE' }, [tagged]],
    ['a text with a direction', FOREIGN, directed, [directed]],
    ['a list', FOREIGN, ['x', 'y'], [list(literal('x'), literal('y'))]],
    ['a list of none', FOREIGN, [], [list()]],
    ['a reference', FOREIGN, 'urn:x', [{ '@id': 'urn:x' }]],
    ['a reference of the standard', `${CREDENTIALS}holder`, 'urn:x', [{ '@id': 'urn:x' }]],
    ['a thing of the standard of which no more is said', ISSUER, { id: 'urn:x' }, [{ '@id': 'urn:x' }]],
    ['a thing of which no more is said', OWN, { id: 'urn:x' }, [{ '@id': 'urn:x' }]],
    ['a relative id', OWN, { id: '1' }, [{ '@id': `${RELATIVE_IDS}1` }]],
    ['a thing', FOREIGN, { id: 'urn:x', kind: 'a' }, [{ '@id': 'urn:x', ...kind('a') }]],
    ['a purpose', PURPOSE, 'authentication', [{ '@id': `${SECURITY}authentication` }]],
    ['one of a set', EVIDENCE, { kind: 'a' }, [kind('a')]],
    ['one of a set in an array', EVIDENCE, [{ kind: 'a' }], [kind('a')]],
    ['nameless things alike', EVIDENCE, [{ kind: 'a' }, { kind: 'a' }], [kind('a'), kind('a')]],
    ['two references', EVIDENCE, ['urn:x', 'urn:y'], [{ '@id': 'urn:x' }, { '@id': 'urn:y' }]],
    ['two domains of a proof', `${SECURITY}domain`, ['x', 'y'], [literal('x'), literal('y')]],
    [
      'two proofs before a proof',
      `${SECURITY}previousProof`,
      ['urn:x', 'urn:y'],
      [{ '@id': 'urn:x' }, { '@id': 'urn:y' }],
    ],
    ['two messages of a status', `${STATUS}statusMessage`, [{ kind: 'a' }, { kind: 'b' }], [kind('a'), kind('b')]],
    [
      'two pages about a status',
      `${STATUS}statusReference`,
      ['urn:x', 'urn:y'],
      [{ '@id': 'urn:x' }, { '@id': 'urn:y' }],
    ],
    ['two purposes of a list', `${STATUS}statusPurpose`, ['x', 'y'], [literal('x'), literal('y')]],
    [
      'a name of the issuer that others have as a list',
      ISSUER,
      { name: 'A' },
      [{ [FOREIGN_NAME]: [list(literal('A'))] }],
    ],
  ])('is accepted as %s', (_, iri, json, values) => {
    const name = iri.split(/[#/]/).at(-1) ?? ''
    expect(refusalOf({ [name]: json }, { [iri]: values })).toBeUndefined()
  })

  it.each<[string, string, Json, Json[], RegExp]>([
    ['nothing', FOREIGN, [], [], /"claim" is empty/],
    ['another text', FOREIGN, 'x', [literal('y')], /"claim" is written otherwise/],
    ['a value with an index', FOREIGN, 'x', [{ '@value': 'x', '@index': 'i' }], /written otherwise/],
    ['two values', FOREIGN, 'x', [literal('x'), literal('y')], /order of "claim" is not signed/],
    ['an array of one text', FOREIGN, ['x'], [literal('x')], /order of "claim" is not signed/],
    ['null', FOREIGN, null, [literal(null)], /written otherwise/],
    ['null for a text in a language', FOREIGN, null, [tagged], /written otherwise/],
    ['a text for one in a language', FOREIGN, 'Abschluss', [tagged], /written otherwise/],
    ['two letters for a text in a language', FOREIGN, 'de', [tagged], /written otherwise/],
    ['another language', FOREIGN, { ...tagged, '@language': 'en' }, [tagged], /written otherwise/],
    ['a language that is no text', FOREIGN, { ...tagged, '@language': 7 }, [tagged], /written otherwise/],
    ['another text in a language', FOREIGN, { ...tagged, '@value': 'x' }, [tagged], /written otherwise/],
    ['a direction of a text', FOREIGN, { ...tagged, '@direction': 'rtl' }, [tagged], /written otherwise/],
    ['a text for one with a direction', FOREIGN, 'x', [directed], /written otherwise/],
    ['a text in a language and of a type', FOREIGN, tagged, [{ ...tagged, '@type': 'urn:t' }], /written otherwise/],
    ['a number in a language', FOREIGN, { ...tagged, '@value': 5 }, [{ ...tagged, '@value': 5 }], /written otherwise/],
    ['a boolean of another type', FOREIGN, true, [literal(true, 'urn:t')], /written otherwise/],
    ['a boolean as the text of its type', FOREIGN, 'true', [literal('true', `${XSD}boolean`)], /written otherwise/],
    ['a number as the text of its type', FOREIGN, '5', [literal('5', `${XSD}integer`)], /written otherwise/],
    ['a fraction of whole numbers', FOREIGN, 1.5, [literal(1.5, `${XSD}integer`)], /written otherwise/],
    ['a number of another type', FOREIGN, 5, [literal(5, `${XSD}decimal`)], /written otherwise/],
    ['another number', FOREIGN, 5, [literal(6)], /written otherwise/],
    ['a number that JSON does not carry', FOREIGN, 2 ** 53, [literal(2 ** 53)], /"claim" has more digits/],
    ['a number that is cut', FOREIGN, 3.3333333333333335, [literal(3.3333333333333335)], /"claim" has more digits/],
    ['a text of a type of RDF', FOREIGN, 'x', [literal('x', `${RDF}HTML`)], /written otherwise/],
    ['a text of a type that is none', FOREIGN, 'x', [{ '@value': 'x', '@type': 7 }], /written otherwise/],
    ['other JSON', FOREIGN, [1], [literal([2], '@json')], /written otherwise/],
    ['a value of no form', FOREIGN, 'x', ['x'], /written otherwise/],
    ['a text for a thing', FOREIGN, 'x', [kind('a')], /written otherwise/],
    ['a text for a list of one', FOREIGN, 'x', [list(literal('x'))], /is a list by its term/],
    ['null in a list', FOREIGN, ['x', null], [list(literal('x'))], /"claim" holds null/],
    ['a list in another order', FOREIGN, ['y', 'x'], [list(literal('x'), literal('y'))], /written otherwise/],
    ['a list with an index', FOREIGN, ['x'], [{ ...list(literal('x')), '@index': 'i' }], /order of "claim"/],
    ['a text for a thing under a generated term', OWN, 'urn:x', [{ '@id': 'urn:x' }], /written otherwise/],
    ['a thing for a reference', FOREIGN, { id: 'urn:x' }, [{ '@id': 'urn:x' }], /written otherwise/],
    ['another reference', FOREIGN, 'urn:y', [{ '@id': 'urn:x' }], /written otherwise/],
    ['a number for a reference', FOREIGN, 7, [{ '@id': 'urn:x' }], /written otherwise/],
    ['a reference to no text', FOREIGN, 'urn:x', [{ '@id': null }], /written otherwise/],
    ['a blank label', FOREIGN, '_:b', [{ '@id': '_:b' }], /written otherwise/],
    ['the empty list of RDF', FOREIGN, `${RDF}nil`, [{ '@id': `${RDF}nil` }], /written otherwise/],
    ['a relative id written out', FOREIGN, `${RELATIVE_IDS}1`, [{ '@id': `${RELATIVE_IDS}1` }], /written otherwise/],
    ['a thing with an index', OWN, { id: 'urn:x' }, [{ '@id': 'urn:x', '@index': 'i' }], /"@index" is signed/],
    ['a member more', OWN, { id: 'urn:x', a: 1 }, [{ '@id': 'urn:x' }], /"a" is not signed/],
    ['another id', OWN, { id: 'urn:y' }, [{ '@id': 'urn:x' }], /an id is not written/],
    ['a purpose of no name', PURPOSE, 'x', [{ '@id': null }], /written otherwise/],
    ['another purpose', PURPOSE, 'assertionMethod', [{ '@id': `${SECURITY}authentication` }], /written otherwise/],
    [
      'the end of a reference',
      FOREIGN,
      'authentication',
      [{ '@id': `${SECURITY}authentication` }],
      /written otherwise/,
    ],
    ['one of a set less', EVIDENCE, [{ kind: 'a' }], [kind('a'), kind('b')], /holds something twice, or null/],
    ['null in a set', EVIDENCE, [{ kind: 'a' }, null], [kind('a')], /holds something twice, or null/],
    ['a text of a set twice', EVIDENCE, ['x', 'x'], [literal('x'), literal('x')], /holds something twice/],
    [
      'a reference of a set twice',
      EVIDENCE,
      ['urn:x', 'urn:x'],
      [{ '@id': 'urn:x' }, { '@id': 'urn:x' }],
      /something twice/,
    ],
    ['a value of no form in a set', EVIDENCE, ['x'], ['x'], /written otherwise/],
    ['a set of another vocabulary', 'https://v.example/evidence', ['x'], [literal('x')], /order of "evidence"/],
    [
      'a list of one name as a text',
      FOREIGN,
      { name: 'A' },
      [{ [FOREIGN_NAME]: [list(literal('A'))] }],
      /"name" is a list/,
    ],
  ])('is refused as %s', (_, iri, json, values, told) => {
    const name = iri.split(/[#/]/).at(-1) ?? ''
    expect(refusalOf({ [name]: json }, { [iri]: values })).toMatch(told)
  })

  it.each([
    ...['credentialSubject', 'credentialStatus', 'credentialSchema', 'evidence', 'termsOfUse', 'refreshService'],
    ...['relatedResource', 'renderMethod', 'confidenceMethod'],
  ])('has one %s in an array or without', (name) => {
    for (const json of [{ kind: 'a' }, [{ kind: 'a' }]])
      expect(refusalOf({ [name]: json }, { [`${CREDENTIALS}${name}`]: [kind('a')] })).toBeUndefined()
  })

  it.each<[string, JsonObject, JsonObject]>([
    ['an id and types', { id: 'urn:x', type: ['A', 'B'] }, { '@id': 'urn:x', '@type': ['urn:t:A', termIri('B')] }],
    ['a type', { type: 'A' }, { '@type': ['urn:t:A'] }],
    ['a name that is a list', { name: 'A' }, { [FOREIGN_NAME]: [list(literal('A'))] }],
    ['a name that is a text', { name: 'A' }, { [FOREIGN_NAME]: [literal('A')] }],
    ['a name of nothing', { name: [] }, { [FOREIGN_NAME]: [list()] }],
  ])('may hold %s', (_, json, node) => {
    expect(refusalOf(json, node)).toBeUndefined()
  })

  it.each<[string, JsonObject, JsonObject, RegExp]>([
    ['no types', {}, { '@type': [] }, /a type is not called/],
    ['a type more', { type: ['A', 'B'] }, { '@type': ['urn:t:A'] }, /a type is not called/],
    ['a type less', { type: 'A' }, { '@type': ['urn:t:A', 'urn:t:B'] }, /a type is not called/],
    ['types in another order', { type: ['B', 'A'] }, { '@type': ['urn:t:A', 'urn:t:B'] }, /a type is not called/],
    ['a type twice', { type: ['A', 'A'] }, { '@type': ['urn:t:A', 'urn:u:A'] }, /a type is not called/],
    ['a type that is none', { type: [7] }, { '@type': [7] }, /a type is not called/],
    ['a graph', { claim: 'x' }, { '@graph': [] }, /"@graph" is signed, and does not stand/],
    ['a name of no form', { '%': 'x' }, { 'https://v.example/%': [literal('x')] }, /v.example\/%" is signed/],
    ['a keyword', { '@claim': 'x' }, { '@claim': [literal('x')] }, /"@claim" is signed, and does not stand/],
    ['an id that is no text', { id: 7 }, { '@id': `${RELATIVE_IDS}7` }, /an id is not written/],
    ['another type beside', { type: ['A', 'C'] }, { '@type': ['urn:t:A', 'urn:t:B'] }, /a type is not called/],
    ['another name', { claims: 'x' }, { [FOREIGN]: [literal('x')] }, /the claim "claim" is signed/],
    ['a long name', { ['x'.repeat(65)]: 'x' }, {}, /"x{64}" is not signed/],
    ['a name that is a list of two', { name: 'A' }, { [FOREIGN_NAME]: [list(literal('A'), literal('B'))] }, /a list/],
    ['two names', { name: 'A' }, { [FOREIGN_NAME]: [list(literal('A')), list(literal('B'))] }, /order of "name"/],
    ['a name of no form', { name: 'A' }, { [FOREIGN_NAME]: ['A'] }, /written otherwise/],
    ['a claim that is a list of one', { claim: 'A' }, { [FOREIGN]: [list(literal('A'))] }, /is a list by its term/],
    [
      'a thing that is described twice',
      { a: { id: 'urn:x', kind: 'a' }, b: { id: 'urn:x' } },
      { [termIri('a')]: [{ '@id': 'urn:x', ...kind('a') }], [termIri('b')]: [{ '@id': 'urn:x' }] },
      /claims about urn:x/,
    ],
  ])('may not hold %s', (_, json, node, told) => {
    expect(refusalOf(json, node)).toMatch(told)
  })

  it('is compared without the context, and of a presentation without its credentials', () => {
    const document: JsonObject = { '@context': 'https://v.example/', type: ['X'], verifiableCredential: {} }
    const node = { '@type': ['urn:t:X'], [`${CREDENTIALS}verifiableCredential`]: [] }
    expect(compared(document, [node])).toEqual({ json: { type: ['X'], verifiableCredential: {} }, node })
    expect(compared({ ...document, type: 'VerifiablePresentation' }, [node])).toEqual({
      json: { type: 'VerifiablePresentation' },
      node: { '@type': ['urn:t:X'] },
    })
  })

  it.each<[string, Json]>([
    ['nothing', []],
    ['a text', ['x']],
    ['two things', [{}, {}]],
  ])('is refused where it says %s', (_, expanded) => {
    expect(() => compared({}, expanded)).toThrow('it does not say one thing')
  })
})

async function signed(credentialSubject: Json, more: JsonObject = {}, given: Json[] = []): Promise<JsonObject> {
  const credential = unsignedCredential(key.did, { credentialSubject, ...more })
  const { context } = contextFor({ credential, given, added: [ED25519_2020], extra: NO_EXTRA_CONTEXTS })
  return addProof({
    document: { '@context': context, ...credential },
    suite: ed25519Of2020,
    options: { created: '2026-01-01T00:00:00Z', verificationMethod: key.keyId, proofPurpose: 'assertionMethod' },
    hash: hashHere(NO_EXTRA_CONTEXTS),
    sign: key.sign,
  })
}

async function isVerified(document: JsonObject): Promise<boolean> {
  const { proof, ...unsigned } = document
  if (!isObject(proof)) return false
  const { publicKey } = key
  try {
    const check = {
      unsigned,
      proof,
      suite: ed25519Of2020,
      publicKey,
      hash: hashHere(NO_EXTRA_CONTEXTS),
      tools: toolsHere,
    }
    return (await checkProof(check)).verified
  } catch (error) {
    if (error instanceof FormatError) return false
    throw error
  }
}

const subject: JsonObject = {
  id: 'did:example:a',
  type: 'Exam',
  score: 5,
  grade: 'A',
  isAdult: false,
  ratio: 0.25,
  price: '12',
  tags: ['x', 'y', 'x'],
  one: ['x'],
  none: [],
  nested: [[1, 2], []],
  home: { street: 'Main', owner: { id: 'did:example:b' } },
  friends: [{ id: 'did:example:c', name: 'C' }, { name: 'D' }],
  local: { id: '1234', level: 1 },
}
const rich = () =>
  signed(
    subject,
    { issuer: { id: key.did, name: 'University' }, evidence: [{ id: 'urn:e:1', kind: 'a' }, { kind: 'b' }] },
    [{ price: PRICE }],
  )

const withSubject = (document: JsonObject, more: JsonObject, context?: JsonObject): JsonObject => ({
  ...document,
  '@context': [...asArray(document['@context']), ...(context ? [context] : [])],
  credentialSubject: { ...subject, ...more },
})

/** Brings documents of one meaning into one form: members and W3C's sets are sorted, and one item needs no array. */
function meaning(value: Json, path: string): Json {
  if (Array.isArray(value)) return value.map((item, place) => meaning(item, `${path}/${place}`))
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([name]) => path !== '' || name !== '@context')
  return Object.fromEntries(
    members
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]): [string, Json] => {
        if (name === 'type') return [name, [...asArray(inner)].map(String).sort()]
        if (path === '' && name === 'issuer' && typeof inner === 'string') return [name, { id: inner }]
        if (path === '' && name !== 'proof' && SETS.has(name))
          return [
            name,
            asArray(inner)
              .map((item) => JSON.stringify(meaning(item, `/${name}`)))
              .sort(),
          ]
        return [name, meaning(inner, `${path}/${name}`)]
      }),
  )
}
const SETS = new Set(['credentialSubject', 'evidence'])
const isSameMeaning = (a: JsonObject, b: JsonObject): boolean =>
  JSON.stringify(meaning(a, '')) === JSON.stringify(meaning(b, ''))

type Edit = (value: Json, other: Json) => Json | undefined

/** Changes of one place. undefined: leave it out. */
const EDITS: Edit[] = [
  () => null,
  () => [],
  () => ({}),
  () => undefined,
  (value) => [value],
  (value) => [value, value],
  (value) => (Array.isArray(value) ? value[0] : value),
  (value) => (Array.isArray(value) ? value.toReversed() : value),
  (value) => (Array.isArray(value) ? [...value, null] : value),
  (value) => (Array.isArray(value) ? [...new Set(value)] : value),
  (value) => (isObject(value) ? { ...value, extra: null } : value),
  (value) => (isObject(value) ? { ...value, id: '_:b0' } : value),
  (value) => (isObject(value) ? [{ id: value.id ?? '_:b0' }, value] : value),
  (value) =>
    isObject(value)
      ? Object.keys(value).map((name) => ({ id: value.id ?? '_:b0', [name]: value[name] ?? null }))
      : value,
  (value) => (isObject(value) && typeof value.id === 'string' ? value.id : value),
  (value) => (typeof value === 'string' ? { id: value } : value),
  (value) => (typeof value === 'string' ? `${RELATIVE_IDS}${value}` : value),
  (value) => (isObject(value) ? value : { '@value': value }),
  (value) =>
    isObject(value)
      ? value
      : { '@value': String(value), '@type': `${XSD}${typeof value === 'boolean' ? 'boolean' : 'integer'}` },
  (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value),
  (value) => (typeof value === 'string' && Number.isFinite(Number(value)) ? Number(value) : value),
  (value) => (typeof value === 'number' ? value + 1e-16 : value),
  (value) => ({ '@list': asArray(value) }),
  (value) => ({ '@set': asArray(value) }),
  (value) => (Array.isArray(value) && value.length === 0 ? { id: `${RDF}nil` } : value),
  (_, other) => other,
]

/** Contexts that an attacker might add. */
const CONTEXTS: (JsonObject | undefined)[] = [
  undefined,
  { grade: termIri('score'), score: termIri('grade') },
  { points: termIri('score'), cost: PRICE },
  { extra: 'https://v.example/extra', score: { '@id': termIri('score'), '@type': `${XSD}integer` } },
  { price: { '@id': PRICE, '@type': '@id' } },
  { isAdult: { '@id': termIri('isAdult'), '@type': `${XSD}boolean` }, extra: '@index' },
  { '@vocab': 'https://v.example/' },
  { one: termIri('one'), tags: termIri('tags'), group: '@nest' },
  { owner: { '@id': termIri('owner'), '@type': '@id' } },
]

function placesOf(value: Json, path: (string | number)[] = []): (string | number)[][] {
  const inner: [string | number, Json][] = Array.isArray(value)
    ? value.map((item, place) => [place, item])
    : isObject(value)
      ? Object.entries(value).filter(([name]) => name !== '@context')
      : []
  return [...(path.length > 0 ? [path] : []), ...inner.flatMap(([name, item]) => placesOf(item, [...path, name]))]
}

const valueAt = (value: Json, [name, ...rest]: (string | number)[]): Json => {
  if (name === undefined) return value
  const inner = Array.isArray(value) ? value[Number(name)] : isObject(value) ? value[name] : undefined
  return valueAt(inner ?? null, rest)
}

function edited(
  value: Json,
  [name, ...rest]: (string | number)[],
  edit: (value: Json) => Json | undefined,
): Json | undefined {
  if (name === undefined) return edit(value)
  const entries: [string, Json][] = Object.entries(value ?? {})
  const changed = entries.flatMap(([own, inner]): [string, Json][] => {
    const result = own === String(name) ? edited(inner, rest, edit) : inner
    return result === undefined ? [] : [[own, result]]
  })
  return Array.isArray(value) ? changed.map(([, item]) => item) : Object.fromEntries(changed)
}

describe('a signed credential', () => {
  it('verifies as it was signed, whatever the order of its members and the form of sets of W3C', async () => {
    const document = await rich()
    expect(await isVerified(document)).toBe(true)
    expect(await isVerified(Object.fromEntries(Object.entries(document).toReversed()))).toBe(true)
    expect(await isVerified({ ...document, evidence: asArray(document.evidence).toReversed() })).toBe(true)
    expect(await isVerified({ ...document, credentialSubject: [subject] })).toBe(true)
  })

  it('does not verify after a change that a reader notices', async () => {
    const document = await rich()
    const places = placesOf(document)
    let noticed = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            place: fc.constantFrom(...places),
            edit: fc.constantFrom(...EDITS),
            other: fc.constantFrom(...places),
          }),
          { minLength: 1, maxLength: 3 },
        ),
        fc.constantFrom(...CONTEXTS),
        fc.boolean(),
        async (changes, context, isFirst) => {
          const changed = changes.reduce<Json>(
            (now, { place, edit, other }) =>
              edited(now, place, (value) => edit(value, valueAt(document, other))) ?? now,
            document,
          )
          if (!isObject(changed)) return
          const parts = asArray(document['@context'])
          const more = context ? [context] : []
          const altered = {
            ...changed,
            '@context': isFirst ? [...parts.slice(0, 2), ...more, ...parts.slice(2)] : [...parts, ...more],
          }
          if (isSameMeaning(altered, document)) return
          noticed++
          expect(await isVerified(altered)).toBe(false)
        },
      ),
      { numRuns: Number(process.env.SOAK_ALTERED_CREDENTIALS ?? 2000) },
    )
    expect(noticed).toBeGreaterThan(100)
  })

  it.each<[string, JsonObject, JsonObject | undefined]>([
    ['null beside the claims', { honours: null }, { honours: termIri('honours') }],
    ['an empty array beside them', { honours: [] }, { honours: termIri('honours') }],
    ['a text twice', { grade: ['A', 'A'] }, undefined],
    ['a text as array', { grade: ['A'] }, undefined],
    ['a list of one as text', { one: 'x' }, undefined],
    ['false as an object', { isAdult: { '@value': 'false', '@type': `${XSD}boolean` } }, undefined],
    ['false as a text', { isAdult: 'false' }, { isAdult: { '@id': termIri('isAdult'), '@type': `${XSD}boolean` } }],
    ['an id of another form', { local: { id: `${RELATIVE_IDS}1234`, level: 1 } }, undefined],
    [
      'an id as a text',
      { home: { street: 'Main', owner: 'did:example:b' } },
      { owner: { '@id': termIri('owner'), '@type': '@id' } },
    ],
    ['the empty list as a thing', { none: { id: `${RDF}nil` } }, { none: termIri('none') }],
    ['a type under another name', { type: termIri('Exam') }, undefined],
  ])('cannot show %s, though the signature fits', async (_, more, context) => {
    expect(await isVerified(withSubject(await rich(), more, context))).toBe(false)
  })

  it('cannot show a claim of a foreign vocabulary under a new name, or under its address', async () => {
    const { price, ...others } = subject
    for (const [name, context] of [
      ['cost', { cost: PRICE }],
      [PRICE, {}],
      ['ice', { '@vocab': 'https://v.example/pr' }],
    ] as const) {
      const signed = await rich()
      const document = { ...signed, credentialSubject: { ...others, [name]: price ?? null } }
      expect(await isVerified({ ...document, '@context': [...asArray(signed['@context']), context] })).toBe(false)
    }
  })

  it('cannot be split into two subjects, or have claims moved to another mention of the same thing', async () => {
    const document = await rich()
    const { score = null, ...others } = subject
    expect(await isVerified({ ...document, credentialSubject: [others, { id: 'did:example:a', score }] })).toBe(false)
    const own = await signed({ id: key.did, score: 5 })
    expect(await isVerified(own)).toBe(true)
    expect(await isVerified({ ...own, issuer: { id: key.did, score: 5 }, credentialSubject: { id: key.did } })).toBe(
      false,
    )
  })

  /** The document with a member of a described thing moved to another place of its id, in every way. */
  function* withClaimsMoved(document: JsonObject): Generator<JsonObject> {
    const places = placesOf(document).map((path) => ({ path, value: valueAt(document, path) }))
    const idAt = (value: Json) => (isObject(value) ? value.id : value)
    for (const from of places) {
      if (!isObject(from.value) || typeof from.value.id !== 'string') continue
      const { id, ...claims } = from.value
      const others = places.filter(
        ({ path, value }) => idAt(value) === id && path !== from.path && path.at(-1) !== 'id',
      )
      const all = Object.entries(claims)
      for (const moved of [...all.map((one) => [one]), all].filter((some) => some.length > 0))
        for (const { path } of others) {
          const more = Object.fromEntries(moved)
          const left = Object.fromEntries(Object.entries(from.value).filter(([name]) => !(name in more)))
          // The longer way first: the other may lead to it.
          const edits: [(string | number)[], (value: Json) => Json][] = [
            [path, (value) => (isObject(value) ? { ...value, ...more } : { id: value, ...more })],
            [from.path, () => left],
          ]
          edits.sort(([a], [b]) => b.length - a.length)
          const isInside = from.path.every((step, at) => path[at] === step)
          if (isInside) continue
          const changed = edits.reduce<Json>((now, [place, edit]) => edited(now, place, edit) ?? now, document)
          if (isObject(changed)) yield changed
        }
    }
  }

  it('describes each thing in one place, which follows from the signed statements', async () => {
    const X = key.did
    const company = { id: X, legalForm: 'Ltd', name: 'Bilkent', description: 'insolvent', url: 'https://x.example' }
    const student = 'did:example:s'
    const awarded = { id: student, degree: 'B.Sc.', awardingBody: { ...company, type: 'University' } }
    const documents = await Promise.all([
      signed(awarded, { issuer: X }),
      signed(awarded, { issuer: { id: X } }),
      signed(company, { issuer: { id: X } }),
      signed([{ id: student }, company], { issuer: X }),
      signed({ id: student }, { issuer: X, evidence: [{ id: 'urn:e:1', verifier: company }, { kind: 'b' }] }),
    ])
    let moves = 0
    for (const document of documents) {
      expect(await isVerified(document)).toBe(true)
      for (const moved of withClaimsMoved(document)) {
        moves++
        const shown = JSON.stringify(moved)
        expect({ shown, verified: await isVerified(moved) }).toEqual({ shown, verified: false })
        for (const name of ['credentialSubject', 'evidence'])
          if (Array.isArray(moved[name]))
            expect(await isVerified({ ...moved, [name]: moved[name].toReversed() })).toBe(false)
      }
    }
    expect(moves).toBeGreaterThan(25)
  })

  const anyThing = fc.letrec<{ thing: Json; member: Json }>((tie) => ({
    member: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<Json>(1, 'x'),
      tie('thing'),
      fc.array(tie('thing'), { minLength: 1, maxLength: 2 }),
    ),
    thing: fc
      .record(
        {
          id: fc.constantFrom<Json>(key.did, ...[...'abcdefgh'].map((letter) => `did:example:${letter}`)),
          name: tie('member'),
          p: tie('member'),
          q: tie('member'),
        },
        { requiredKeys: ['id'] },
      )
      .map((record): Json => ({ ...record })),
  })).thing

  const ifRefused = (error: unknown): undefined => {
    if (!(error instanceof FormatError)) throw error
  }

  it('has no claims that can be moved, whatever their subject', async () => {
    let moves = 0
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(anyThing, fc.array(anyThing, { minLength: 2, maxLength: 2 })),
        fc.constantFrom<Json>(key.did, { id: key.did }, { id: key.did, name: 'University' }),
        async (subject, issuer) => {
          const document = await signed(subject, { issuer }).catch(ifRefused)
          if (document === undefined) return
          expect(await isVerified(document)).toBe(true)
          for (const moved of withClaimsMoved(document)) {
            moves++
            expect(await isVerified(moved)).toBe(false)
          }
        },
      ),
      { numRuns: 1000, interruptAfterTimeLimit: 20_000 },
    )
    expect(moves).toBeGreaterThan(5)
  })

  it.each<[string, Json, JsonObject, RegExp]>([
    [
      'an issuer described where the subject names it',
      { id: 'did:example:s', awardingBody: { id: key.did } },
      { issuer: { id: key.did, name: 'Bilkent' } },
      /say all of it in \/credentialSubject\/awardingBody, .* only its id in \/issuer$/,
    ],
    [
      'an issuer described in its profile and as subject',
      { id: key.did, legalForm: 'Ltd' },
      { issuer: { id: key.did, name: 'Bilkent' } },
      /say all of it in \/credentialSubject, .* only its id in \/issuer$/,
    ],
    [
      'a thing described in one place and named in another',
      { a: { b: { id: 'did:example:b', level: 1 } }, z: [{ id: 'did:example:b' }] },
      {},
      /its id stands in \/credentialSubject\/a\/b and in \/credentialSubject\/z: leave it out/,
    ],
    [
      'a thing described in its own place and named in another',
      { id: 'did:example:a', of: { id: 'https://issuer.example/credentials/1' } },
      {},
      /its id stands in the document itself and in \/credentialSubject\/of/,
    ],
    [
      'an issuer named twice in the subject',
      [{ a: { id: key.did, level: 1 } }, { b: { id: key.did } }],
      {},
      /in \/credentialSubject\/0\/a and in \/credentialSubject\/1\/b/,
    ],
  ])('is refused with its place when it holds %s', async (_, claims, more, reason) => {
    await expect(signed(claims, more)).rejects.toThrow(reason)
  })

  it.each<[string, Json, JsonObject | undefined, RegExp]>([
    ['null', { grade: null }, undefined, /"grade" is not signed/],
    [
      'an empty array under a term of the caller',
      { grade: [] },
      { grade: 'https://v.example/grade' },
      /"grade" is empty/,
    ],
    ['an array whose order would not be signed', { grade: ['A', 'B'] }, { grade: 'https://v.example/grade' }, /@list/],
    ['a list in one place and none in another', { phone: ['1'], home: { phone: '2' } }, undefined, /"phone" is a list/],
    ['a number that is not signed in full', { ratio: 3.3333333333333335 }, undefined, /"ratio" has more digits/],
    ['a number beyond what JSON carries', { number: 2 ** 60 }, undefined, /"number" has more digits/],
    [
      'a thing described twice',
      [
        { id: 'did:x:a', b: { id: 'did:x:b' } },
        { id: 'did:x:b', c: 1 },
      ],
      undefined,
      /claims about did:x:b/,
    ],
  ])('is refused with a reason when it holds %s', async (_, claims, context, reason) => {
    await expect(signed(claims, {}, context ? [context] : [])).rejects.toThrow(reason)
  })

  it('may hold a list of names beside the name of its issuer and its own', async () => {
    const document = await signed({ name: ['A', 'B'] }, { issuer: { id: key.did, name: 'University' }, name: 'Degree' })
    expect(await isVerified(document)).toBe(true)
    expect(await isVerified({ ...document, name: ['Degree'] })).toBe(false)
  })
})
