import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FormatError } from '../../format-error.js'
import { asArray, isObject, type Json, type JsonObject } from '../../json.js'
import { contextFor } from '../contexts/credential-context.js'
import { NO_EXTRA_CONTEXTS } from '../contexts/document-loader.js'
import { ED25519_2020 } from '../contexts/known-contexts.js'
import { RELATIVE_IDS, termIri } from '../contexts/terms.js'
import { ed25519Of2020 } from '../ed25519-2020.js'
import { addProof, checkProof } from '../linked-data-proof.js'
import { testKey, unsignedCredential } from '../testing.js'
import { hashHere } from './canonize.js'

const key = testKey()
const PRICE = 'https://v.example/price'

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
    const check = { unsigned, proof, suite: ed25519Of2020, publicKey, hash: hashHere(NO_EXTRA_CONTEXTS) }
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

/** What stays the same for every reader: order of members, and W3C's sets, of which one needs no array. */
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
const XSD = 'http://www.w3.org/2001/XMLSchema#'

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
  (value) =>
    Array.isArray(value) && value.length === 0 ? { id: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#nil' } : value,
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
    [
      'the empty list as a thing',
      { none: { id: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#nil' } },
      { none: termIri('none') },
    ],
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

  it('says of each thing all in the one place that follows from what is signed', async () => {
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

  it('has nothing that can be moved, whatever it says of whom', async () => {
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
