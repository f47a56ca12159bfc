import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FormatError } from '../../format-error.js'
import { asArray, isObject, type Json, type JsonObject } from '../../json.js'
import { type ExtraContexts, NO_EXTRA_CONTEXTS } from '../contexts/document-loader.js'
import { RDF } from '../contexts/namespaces.js'
import { VOCABULARY } from '../contexts/terms.js'
import { mutantOf } from '../mutants.testing.js'
import { W3C_EXAMPLES } from '../w3c-examples.testing.js'
import { canonize } from './canonize.js'

/** The canonical form, which is what a signature fits; undefined: refused. */
async function signedForm(document: JsonObject, contexts: ExtraContexts): Promise<string | undefined> {
  try {
    return await canonize(document, contexts)
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

/** Tells whether the signature of one document passes for another. */
async function passesFor(original: JsonObject, altered: JsonObject, contexts = NO_EXTRA_CONTEXTS): Promise<boolean> {
  const form = await signedForm(original, NO_EXTRA_CONTEXTS)
  expect(form).toBeDefined()
  return (await signedForm(altered, contexts)) === form
}

const example = (name: keyof typeof W3C_EXAMPLES): JsonObject => W3C_EXAMPLES[name] ?? {}
const person = example('a person with several names and none, in the words of schema.org')
const card = example('a permanent resident card')
const degree = example('a degree')
const policy = example('terms of use about the credential itself')
const couple = example('two subjects, each of which names the other')

const inside = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const withSubject = (document: JsonObject, more: JsonObject): JsonObject => ({
  ...document,
  credentialSubject: { ...inside(document.credentialSubject), ...more },
})
const without = (document: JsonObject, ...names: string[]): JsonObject =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name)))
const withContext = (document: JsonObject, ...more: Json[]): JsonObject => ({
  ...document,
  '@context': [...asArray(document['@context']), ...more],
})

describe('under contexts that ship with the service', () => {
  it.each(Object.keys(W3C_EXAMPLES))('an example of the standard can be signed: %s', async (name) => {
    expect(await signedForm(example(name), NO_EXTRA_CONTEXTS)).toBeDefined()
  })

  it.each<[string, JsonObject, JsonObject]>([
    ['values in another order', person, withSubject(person, { alternateName: ['Lucia', 'Łucja'] })],
    ['a value twice', person, withSubject(person, { alternateName: ['Łucja', 'Lucia', 'Łucja'] })],
    ['one value as an array', card, withSubject(card, { givenName: ['JOHN'] })],
    ['one value as a set, and as a set of sets', card, withSubject(card, { givenName: [{ '@set': ['JOHN'] }] })],
    ['a set as an array', person, withSubject(person, { knowsLanguage: ['tr', 'pl'] })],
    ['a value written out', card, withSubject(card, { gender: { '@value': 'Male' } })],
    [
      'a value with the type that its term gives it',
      card,
      withSubject(card, {
        birthDate: { '@value': '1958-07-17T00:00:00Z', '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' },
      }),
    ],
    ['types in another order', card, withSubject(card, { type: ['Person', 'PermanentResident'] })],
    ['keywords in place of their names', degree, withSubject(degree, { degree: { '@type': 'BachelorDegree', name } })],
    [
      'a name of a keyword that a context gives it',
      policy,
      { ...policy, termsOfUse: withAlias(asArray(policy.termsOfUse)[0]) },
    ],
    ['subjects in another order', couple, { ...couple, credentialSubject: [...subjectsOf(couple)].reverse() }],
  ])('%s is the same', async (_, original, altered) => {
    expect(altered).not.toEqual(original)
    expect(await passesFor(original, altered)).toBe(true)
  })

  it.each<[string, JsonObject, JsonObject]>([
    ['null', card, withSubject(card, { honours: null })],
    ['null under a known term', card, withSubject(card, { name: null })],
    ['an empty array', card, withSubject(card, { name: [] })],
    ['an empty set', card, withSubject(card, { name: { '@set': [] } })],
    ['null among values', person, withSubject(person, { alternateName: ['Łucja', 'Lucia', null] })],
    ['an empty list of types', degree, withSubject(degree, { type: [] })],
    ['a value without content', card, withSubject(card, { name: { '@value': null } })],
    ['an index', card, withSubject(card, { gender: { '@value': 'Male', '@index': 'x' } })],
    ['a nest', card, withSubject(card, { '@nest': {} })],
    ['a context further down', card, withSubject(card, { '@context': {} })],
    ['a member of no context', degree, withSubject(degree, { made: 'up' })],
    [
      'a blank label',
      degree,
      withSubject(degree, { degree: { ...inside(inside(degree.credentialSubject).degree), id: '_:b0' } }),
    ],
  ])('a member that leaves no statement is refused: %s', async (_, original, altered) => {
    expect(await passesFor(original, altered)).toBe(false)
  })

  it('a type that no context defines is refused, also beside one that is defined', async () => {
    const { degree: claim } = inside(degree.credentialSubject)
    const typed = (...type: string[]) => withSubject(degree, { degree: { ...inside(claim), type } })
    expect(await signedForm(typed('BachelorDegree'), NO_EXTRA_CONTEXTS)).toBeDefined()
    expect(await signedForm(typed('BachelorDegree', 'https://example.com/D'), NO_EXTRA_CONTEXTS)).toBeUndefined()
  })

  it('a number with more digits than are signed is refused', async () => {
    expect(await signedForm(withSubject(person, { height: 2 ** 60 }), NO_EXTRA_CONTEXTS)).toBeUndefined()
    expect(await signedForm(withSubject(person, { height: 3.3333333333333335 }), NO_EXTRA_CONTEXTS)).toBeUndefined()
    expect(await signedForm(withSubject(person, { height: 1.75 }), NO_EXTRA_CONTEXTS)).toBeDefined()
  })

  const END = 'https://www.w3.org/2018/credentials#expirationDate'
  const end = { '@value': '2100-01-01T00:00:00Z', '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' }
  const subject = inside(degree.credentialSubject)
  it.each<[string, JsonObject, JsonObject]>([
    [
      'a subject described where another names it',
      couple,
      { ...couple, credentialSubject: [named(0, 'spouse', 1), { id: inside(subjectsOf(couple)[1]).id ?? null }] },
    ],
    ['its end under the address of the member', policy, { ...without(policy, 'expirationDate'), [END]: end }],
    ['its end in a nest', policy, { ...without(policy, 'expirationDate'), '@nest': { expirationDate: end['@value'] } }],
    ['its end where something else names the credential', policy, withTarget({ expirationDate: end['@value'] })],
    ['its end as a set', policy, { ...policy, expirationDate: { '@set': [policy.expirationDate ?? null] } }],
    ['its end in an array', policy, { ...policy, expirationDate: [policy.expirationDate ?? null] }],
    ['its type under the keyword', degree, { ...without(degree, 'type'), '@type': degree.type ?? null }],
    ['a further type under the keyword', degree, { ...degree, '@type': 'VerifiableCredential' }],
    ['its id under the keyword', degree, { ...without(degree, 'id'), '@id': degree.id ?? null }],
    ['its issuer under the keyword', degree, { ...degree, issuer: { '@id': degree.issuer ?? null } }],
    [
      'the id of its subject under the keyword',
      degree,
      { ...degree, credentialSubject: { ...without(subject, 'id'), '@id': subject.id ?? null } },
    ],
    ['its subject in a graph of its own', degree, { ...degree, credentialSubject: { '@graph': [subject] } }],
    ['its subject as a set', degree, { ...degree, credentialSubject: { '@set': [subject] } }],
    [
      'a claim under the address of its term',
      card,
      withSubject(
        { ...card, credentialSubject: without(inside(card.credentialSubject), 'gender') },
        { 'http://schema.org/gender': 'Male' },
      ),
    ],
    [
      'a claim under a prefix',
      degree,
      { ...degree, credentialSubject: { ...without(subject, 'degree'), 'ex:degree': subject.degree ?? null } },
    ],
  ])('nothing that verifying looks at, and no claim, can be hidden: %s', async (_, original, altered) => {
    expect(await passesFor(original, altered)).toBe(false)
  })

  it('claims about the issuer stand there, and nowhere else', async () => {
    const id = degree.issuer ?? null
    const [said, bare] = [{ id, type: 'BachelorDegree' }, { id }]
    const original = { ...degree, issuer: said, evidence: bare }
    expect(await passesFor(original, original)).toBe(true)
    expect(await passesFor(original, { ...degree, issuer: bare, evidence: said })).toBe(false)
  })

  it('a thing may be described in several places, but neither a subject nor the issuer', async () => {
    const [one, other] = [
      { id: 'urn:x', name: 'A' },
      { id: 'urn:x', description: 'B' },
    ]
    const isSigned = async (document: JsonObject) => (await signedForm(document, NO_EXTRA_CONTEXTS)) !== undefined
    expect(await isSigned(withSubject(person, { spouse: one, children: other }))).toBe(true)
    const [issuer, subject] = [degree.issuer ?? null, inside(degree.credentialSubject).id ?? null]
    const said = (id: Json) => ({ id, type: 'BachelorDegree' })
    expect(await isSigned({ ...degree, issuer: said(issuer), evidence: said(issuer) })).toBe(false)
    expect(await isSigned({ ...degree, evidence: said(subject) })).toBe(false)
    expect(await isSigned({ ...degree, credentialSubject: { id: subject }, evidence: said(subject) })).toBe(false)
    expect(await isSigned({ ...degree, evidence: { id: subject } })).toBe(true)
  })

  it('the empty list of RDF is no thing, and a refusal names a thing by the beginning of its id', async () => {
    const nil = withSubject(degree, { degree: { id: `${RDF}nil`, type: 'BachelorDegree' } })
    expect(await signedForm(nil, NO_EXTRA_CONTEXTS)).toBeUndefined()
    const id = `urn:${'x'.repeat(100)}`
    const twice = { ...degree, credentialSubject: { id }, evidence: { id, type: 'BachelorDegree' } }
    await expect(canonize(twice, NO_EXTRA_CONTEXTS)).rejects.toThrow(/said of urn:x{96} in another place/)
  })

  const STATUS = 'https://w3id.org/vc/status-list/2021/v1'
  const entry: JsonObject = {
    id: 'https://issuer.example/list#7',
    type: 'StatusList2021Entry',
    statusPurpose: 'revocation',
    statusListIndex: '7',
    statusListCredential: 'https://issuer.example/list',
  }
  const revocable = withContext({ ...degree, credentialStatus: entry, evidence: { id: entry.id ?? null } }, STATUS)
  it.each<[string, JsonObject]>([
    ['under the address of the member', { 'https://www.w3.org/2018/credentials#credentialStatus': entry }],
    ['as a set', { credentialStatus: { '@set': [entry] } }],
    [
      'with a part of it in another place',
      {
        credentialStatus: without(entry, 'statusPurpose'),
        evidence: { id: entry.id ?? null, type: entry.type ?? null, statusPurpose: 'revocation' },
      },
    ],
    [
      'with its type under the keyword',
      { credentialStatus: { ...without(entry, 'type'), '@type': 'StatusList2021Entry' } },
    ],
    ['with its index as a list of one', { credentialStatus: { ...entry, statusListIndex: ['7'] } }],
  ])('its status cannot be written %s', async (_, more) => {
    expect(await passesFor(revocable, revocable)).toBe(true)
    expect(await passesFor(revocable, { ...without(revocable, 'credentialStatus'), ...more })).toBe(false)
  })

  it('no example passes with one member more, one less, or another value', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .constantFrom(...Object.values(W3C_EXAMPLES))
          .chain((original) => mutantOf(original).map((mutant) => ({ ...mutant, original }))),
        async ({ what, document, original }) => {
          if (await passesFor(original, document)) throw new Error(`passed with ${what}`)
        },
      ),
      { numRuns: Number(process.env.SOAK_STANDARD_MUTANTS ?? 150), endOnFailure: true },
    )
  })
})

describe('under terms that a document gives its own names', () => {
  const [first = null, ...others] = asArray(person['@context'])
  const SCORE = `${VOCABULARY}score`
  const list = (iri: string): JsonObject => ({ '@id': iri, '@container': '@list' })
  const terms: JsonObject = {
    ...{ score: SCORE, X: `${VOCABULARY}X`, tags: list(`${VOCABULARY}tags`), verdict: `${VOCABULARY}verdict` },
  }
  const exam = (context: JsonObject, claims: JsonObject): JsonObject => ({
    ...person,
    '@context': [first, ...others, context],
    type: ['VerifiableCredential', 'X'],
    credentialSubject: { id: 'did:example:a', ...claims },
  })
  const claims: JsonObject = {
    ...{ knowsLanguage: ['tr', 'en'], score: 5, tags: ['b', 'a'], verdict: { score: 6 } },
  }
  const original = exam(terms, claims)

  it('claims of contexts that ship with the service are read as the standard says', async () => {
    expect(await passesFor(original, exam(terms, { ...claims, knowsLanguage: ['en', 'tr'] }))).toBe(true)
    expect(await passesFor(original, exam(terms, { ...claims, knowsLanguage: ['tr', 'en', 'tr'] }))).toBe(true)
  })

  it.each<[string, JsonObject]>([
    ['as an array', { score: [5] }],
    ['twice', { score: [5, 5] }],
    ['written out', { score: { '@value': 5 } }],
    ['as a set', { score: { '@set': [5] } }],
    ['as nothing', { score: null }],
    ['in another order', { tags: ['a', 'b'] }],
    ['as a list that is written out', { tags: { '@list': ['b', 'a'] } }],
    ['as a list of which one is written out', { tags: ['b', { '@value': 'a' }] }],
    ['in an array', { verdict: [{ score: 6 }] }],
  ])('a claim of its own cannot be written %s', async (_, more) => {
    expect(await passesFor(original, exam(terms, { ...claims, ...more }))).toBe(false)
  })

  it('a claim of its own cannot be null, nor a thing under it have a keyword', async () => {
    const more = { ...terms, honours: `${VOCABULARY}honours` }
    expect(await passesFor(exam(more, claims), exam(more, { ...claims, honours: null }))).toBe(false)
    const typed = exam(terms, { ...claims, verdict: { type: 'X', score: 6 } })
    expect(await passesFor(typed, exam(terms, { ...claims, verdict: { '@type': 'X', score: 6 } }))).toBe(false)
  })

  it('a claim of its own cannot be moved to another place where its thing is named', async () => {
    const [said, bare] = [{ id: 'urn:x', score: 1 }, { id: 'urn:x' }]
    const both = { ...terms, other: `${VOCABULARY}other` }
    expect(await signedForm(exam(both, { ...claims, verdict: said, other: bare }), NO_EXTRA_CONTEXTS)).toBeUndefined()
  })

  it('a thing of a type of its own is described in one place, also where the type stands under its keyword', async () => {
    const [typed, more] = [
      { id: 'urn:x', '@type': 'X' },
      { id: 'urn:x', knowsLanguage: 'tr' },
    ]
    const signed = (said: JsonObject) =>
      signedForm({ ...exam(terms, said), type: ['VerifiableCredential'] }, NO_EXTRA_CONTEXTS)
    expect(await signed({ spouse: { ...typed, ...more } })).toBeDefined()
    expect(await signed({ spouse: typed, children: more })).toBeUndefined()
  })

  it('a name that only the vocabulary of schema.org covers is read as a term of its own', async () => {
    const words = (more: JsonObject): JsonObject => ({
      ...without(exam({}, { knowsLanguage: ['tr', 'en'], score: 5, ...more }), '@context'),
      '@context': [first, ...others],
    })
    expect(await passesFor(words({}), words({ knowsLanguage: ['en', 'tr'] }))).toBe(true)
    for (const name of ['s', 'max-score_2'])
      expect(await signedForm(words({ [name]: 5 }), NO_EXTRA_CONTEXTS)).toBeDefined()
    for (const name of ['2score', '_score', 'sco.re', 'score!'])
      expect(await signedForm(words({ [name]: 5 }), NO_EXTRA_CONTEXTS), name).toBeUndefined()
    for (const score of [6, [5], [5, 5], { '@value': 5 }, null])
      expect(await passesFor(words({}), words({ score })), JSON.stringify(score)).toBe(false)
    for (const context of [{ maxScore: 'http://schema.org/score' }, { '@vocab': 'http://schema.org/max' }]) {
      const { score, ...subject } = inside(words({ maxScore: 5 }).credentialSubject)
      const renamed = { ...withContext(words({}), context), credentialSubject: subject }
      expect(score).toBe(5)
      expect(await passesFor(words({}), renamed)).toBe(false)
    }
  })

  it.each<[string, JsonObject]>([
    ['calls a claim otherwise', { maxScore: SCORE }],
    ['calls one like a claim of schema.org', { score: 'http://schema.org/height' }],
    ['gives a value a type', { score: { '@id': SCORE, '@type': 'http://www.w3.org/2001/XMLSchema#integer' } }],
    ['makes a text an address', { score: { '@id': SCORE, '@type': '@id' } }],
    ['makes it a set', { score: { '@id': SCORE, '@container': '@set' } }],
    ['redefines a name of a context that ships', { score: SCORE, knowsLanguage: `${VOCABULARY}knowsLanguage` }],
    ['has a base', { score: SCORE, '@base': 'https://v.example/' }],
    ['has a vocabulary', { score: SCORE, '@vocab': VOCABULARY }],
    ['is empty', {}],
  ])('a context that %s calls for the plain form', async (_, context) => {
    const [name] = Object.keys({ ...context, '@vocab': 0 }).filter((one) => !one.startsWith('@'))
    const document = exam({ X: `${VOCABULARY}X`, ...context }, { [name ?? 'height']: 5, knowsLanguage: ['tr', 'en'] })
    const more = name === undefined ? [{}] : []
    const bare = { ...document, '@context': [...asArray(document['@context']), ...more] }
    expect(await signedForm(bare, NO_EXTRA_CONTEXTS)).toBeUndefined()
  })

  it('only the text that was signed passes, but for sets, whatever a context calls a claim', async () => {
    const iris = ['score', 'maxScore', 'tags', 'X'].map((name) => `${VOCABULARY}${name}`)
    const iri = fc.constantFrom(...iris, 'http://schema.org/height', 'http://schema.org/name', '@type', '@id', '@nest')
    const definition = fc.oneof(
      iri,
      iri.map(list),
      fc.record({ '@id': iri, '@type': fc.constantFrom('@id', '@vocab', '@json', 'http://schema.org/Text') }),
    )
    const name = fc.constantFrom('score', 'maxScore', 'tags', 'X', 'height', 'name')
    const value = fc.constantFrom<Json>(5, 6, '5', true, [5], ['b', 'a'], ['a', 'b'], 'b', { score: 5 })
    const [plain, given] = [
      { height: 5, name: 'b' },
      { score: 5, maxScore: 6, tags: ['b', 'a'] },
    ]
    const all: JsonObject = { ...plain, ...given }
    const whole = exam({ ...terms, maxScore: `${VOCABULARY}maxScore` }, all)
    const form = await signedForm(whole, NO_EXTRA_CONTEXTS)
    expect(form).toBeDefined()
    const asSets = (json: Json): string => JSON.stringify(asArray(json))
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(name, definition, { minKeys: 1, noNullPrototype: true }),
        fc.dictionary(name, value, { noNullPrototype: true }),
        async (context, more) => {
          const altered: JsonObject = { ...all, ...more }
          const document = exam(
            { X: `${VOCABULARY}X`, ...terms, maxScore: `${VOCABULARY}maxScore`, ...context },
            altered,
          )
          if ((await signedForm(document, NO_EXTRA_CONTEXTS)) !== form) return
          for (const [claim, said] of Object.entries(altered)) {
            if (claim in given) expect(said).toEqual(all[claim])
            else expect(asSets(said)).toBe(asSets(all[claim] ?? null))
          }
        },
      ),
      { numRuns: Number(process.env.SOAK_STANDARD_MUTANTS ?? 150) },
    )
  })
})

describe('under any other context', () => {
  const URL = 'https://team.example/terms'
  const SCORE = 'https://team.example/terms#score'
  const hosted = (terms: JsonObject): ExtraContexts =>
    new Map([[URL, { document: { '@context': terms }, isKept: false }]])
  const exam = (more: JsonObject): JsonObject => ({
    ...without(degree, '@context', 'credentialSubject'),
    '@context': [...asArray(degree['@context']), URL],
    credentialSubject: { id: 'did:example:a', ...more },
  })

  it('a claim cannot be called otherwise: score is not maxScore', async () => {
    const form = await signedForm(exam({ score: 5 }), hosted({ score: SCORE }))
    expect(form).toContain(`<${SCORE}> "5"`)
    expect(await signedForm(exam({ maxScore: 5 }), hosted({ maxScore: SCORE }))).toBeUndefined()
    const inline = { ...exam({ maxScore: 5 }), '@context': [...asArray(degree['@context']), { maxScore: SCORE }] }
    expect(await signedForm(inline, NO_EXTRA_CONTEXTS)).toBeUndefined()
    // Nor can it be written with its address, under contexts that ship with the service alone.
    expect(await signedForm({ ...degree, credentialSubject: { [SCORE]: 5 } }, NO_EXTRA_CONTEXTS)).toBeUndefined()
  })

  it.each<[string, JsonObject]>([
    ['has an order that is signed', { tags: ['a', 'b'] }],
    ['is no array without a list', { score: [5] }],
    ['is not written out', { score: { '@value': 5 } }],
    ['has no set', { score: { '@set': [5] } }],
    ['is not null', { score: null }],
  ])('a value %s', async (_, claims) => {
    const contexts = hosted({ score: SCORE, tags: 'https://team.example/terms#tags' })
    expect(await signedForm(exam({ score: 5, tags: 'a' }), contexts)).toBeDefined()
    expect(await signedForm(exam({ score: 5, tags: 'a', ...claims }), contexts)).toBeUndefined()
  })

  it('terms of a type and of a member are judged the same', async () => {
    const renaming = { maxScore: SCORE }
    const ofType = { Exam: { '@id': `${URL}#Exam`, '@context': renaming } }
    const ofMember = { result: { '@id': `${URL}#result`, '@context': renaming } }
    const plain = { score: SCORE }
    expect(
      await signedForm(exam({ type: 'Exam', score: 5 }), hosted({ Exam: { '@id': `${URL}#Exam`, '@context': plain } })),
    ).toBeDefined()
    expect(await signedForm(exam({ type: 'Exam', maxScore: 5 }), hosted(ofType))).toBeUndefined()
    expect(await signedForm(exam({ result: { maxScore: 5 } }), hosted(ofMember))).toBeUndefined()
  })

  it.each(Object.keys(W3C_EXAMPLES))('one of them decides for the whole document: %s', async (name) => {
    const original: JsonObject = {
      ...example(name),
      credentialSubject: { id: 'did:example:a', name: { '@value': 'x' } },
    }
    expect(await signedForm(original, NO_EXTRA_CONTEXTS)).toBeDefined()
    const [first = null, ...others] = asArray(original['@context'])
    for (const foreign of [{}, URL])
      for (const context of [
        [first, foreign, ...others],
        [first, ...others, foreign],
      ])
        expect(await signedForm({ ...original, '@context': context }, hosted({}))).toBeUndefined()
  })
})

const name = 'Bachelor of Science and Arts'
function subjectsOf({ credentialSubject }: JsonObject): Json[] {
  return asArray(credentialSubject)
}
/** Leaves out its end, which is said of the credential where its policy names it. */
function withTarget(more: JsonObject): JsonObject {
  const [terms] = asArray(policy.termsOfUse)
  const [prohibition] = asArray(inside(terms).prohibition)
  const target = { id: policy.id ?? null, type: 'VerifiableCredential', ...more }
  const termsOfUse = [{ ...inside(terms), prohibition: [{ ...inside(prohibition), target }] }]
  return { ...without(policy, 'expirationDate'), termsOfUse }
}
function withAlias(value: Json | undefined): JsonObject {
  const { id, ...more } = inside(value)
  return { id: id ?? null, ...more, profile: { uid: more.profile ?? null } }
}
/** One subject, in which the member that names the other describes it. */
function named(one: number, member: string, other: number): JsonObject {
  return { ...inside(subjectsOf(couple)[one]), [member]: subjectsOf(couple)[other] ?? null }
}
