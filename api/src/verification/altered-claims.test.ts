import jsonld from 'jsonld'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { asArray, isObject, type Json, type JsonObject } from '../formats/json.js'
import { documentLoader, NO_EXTRA_CONTEXTS } from '../formats/json-ld/contexts/document-loader.js'
import { VOCABULARY } from '../formats/json-ld/contexts/terms.js'
import { testKey } from '../formats/json-ld/testing.js'
import type { Answered } from '../platform/testing/answered.js'
import { credential, presentation, TestVerifier } from './testing.js'

let verifier: TestVerifier
beforeAll(async () => {
  verifier = await TestVerifier.open()
})
afterAll(() => verifier.close())

const signed = () =>
  credential(testKey(), {
    more: {
      type: ['VerifiableCredential', 'ExamCredential'],
      credentialSubject: { id: 'did:example:a', type: 'Exam', score: 5, maxScore: 10 },
    },
  })

const structureOf = ({ body }: Answered) => body.checks.find(({ check }: { check: string }) => check === 'structure')

interface Change {
  /** Further inline context. */
  context?: JsonObject
  subject?: JsonObject
  top?: JsonObject
}

const changed = (document: JsonObject, { context, subject = {}, top = {} }: Change): JsonObject => ({
  ...document,
  '@context': [...asArray(document['@context']), ...(context ? [context] : [])],
  credentialSubject: { ...(isObject(document.credentialSubject) ? document.credentialSubject : {}), ...subject },
  ...top,
})

const swappedScores = { score: 10, maxScore: 5 }
const swappedTerms = { score: `${VOCABULARY}maxScore`, maxScore: `${VOCABULARY}score` }

const attacks: [string, Change][] = [
  ['a claim called like @index', { context: { honours: '@index' }, subject: { honours: 'summa cum laude' } }],
  ['a claim called like @index, long form', { context: { honours: { '@id': '@index' } }, subject: { honours: 'x' } }],
  ['a bare @index', { subject: { '@index': 'x' } }],
  ['a top-level @index', { top: { '@index': 'x' } }],
  ['a top-level member called like @index', { context: { grade: '@index' }, top: { grade: 'A' } }],
  ['terms swapped', { context: swappedTerms, subject: swappedScores }],
  [
    'terms swapped through a prefix',
    {
      context: {
        p: 'https://www.w3.org/ns/credentials/',
        score: 'p:issuer-dependent#maxScore',
        maxScore: 'p:issuer-dependent#score',
      },
      subject: swappedScores,
    },
  ],
  [
    'names written through a prefix',
    { context: { p: VOCABULARY }, subject: { 'p:score': 5, 'p:maxScore': 10, score: null, maxScore: null } },
  ],
  [
    'terms swapped in the context of a type',
    {
      context: {
        Exam: { '@id': `${VOCABULARY}Exam`, '@context': { '@propagate': true, ...swappedTerms } },
      },
      subject: swappedScores,
    },
  ],
  ['terms swapped in an embedded context', { subject: { '@context': swappedTerms, ...swappedScores } }],
  [
    'terms swapped in the context of a member',
    {
      context: {
        subject: { '@id': 'https://www.w3.org/2018/credentials#credentialSubject', '@context': swappedTerms },
      },
      subject: swappedScores,
    },
  ],
  [
    'a claim moved to @nest',
    { context: { group: '@nest' }, subject: { group: { score: 5, maxScore: 10 }, score: null, maxScore: null } },
  ],
  ['an empty holder', { top: { holder: '' } }],
  ['empty evidence', { top: { evidence: '' } }],
  ['empty evidence in an array', { top: { evidence: [''] } }],
  ['empty terms of use', { top: { termsOfUse: '' } }],
  [
    'an empty claim that is an id by its context',
    { context: { honours: { '@id': 'https://v.example/honours', '@type': '@id' } }, subject: { honours: '' } },
  ],
  ['a list of contexts inside another', { context: { '@context': swappedTerms }, subject: swappedScores }],
]

it.each(attacks)('%s is refused, though the signature may fit', async (_, change) => {
  const original = await signed()
  expect((await verifier.verify(original)).body.verified).toBe(true)
  const answer = await verifier.verify(changed(original, change))
  expect(answer.status).toBe(200)
  expect(answer.body.verified).toBe(false)
  expect(structureOf(answer)).toMatchObject({ passed: false, reason: 'malformed' })
})

it('is refused inside a presentation and in the presentation itself', async () => {
  const holder = testKey()
  const original = await signed()
  const altered = changed(original, { context: { honours: '@index' }, subject: { honours: 'x' } })
  const inside = await presentation(holder, [original])
  expect((await verifier.verify(inside)).body.verified).toBe(true)
  for (const document of [
    { ...inside, verifiableCredential: [altered] },
    { ...inside, '@index': 'x' },
    { ...inside, '@context': [...asArray(inside['@context']), { note: '@index' }], note: 'x' },
    { ...inside, proof: { ...inside.proof, '@context': {} } },
  ] satisfies Json[])
    expect((await verifier.verify(document)).body).toMatchObject({ verified: false })
})

it('a claim of the issuer’s own vocabulary cannot take the name of another', async () => {
  const names = { score: 'https://v.example/score', maxScore: 'https://v.example/maxScore' }
  const original = await credential(testKey(), {
    more: { credentialSubject: { score: 5, maxScore: 10 } },
    contexts: [names],
  })
  expect((await verifier.verify(original)).body.verified).toBe(true)
  const swap = { score: names.maxScore, maxScore: names.score }
  const other = { score: names.maxScore, points: names.score }
  for (const [context, subject] of [
    [swap, swappedScores],
    [other, { score: 10, points: 5 }],
    [{ score: names.maxScore }, { score: 10, [names.score]: 5 }],
  ] satisfies [JsonObject, JsonObject][]) {
    const answer = await verifier.verify({
      ...original,
      '@context': [...asArray(original['@context']).filter((part) => !isObject(part) || !('score' in part)), context],
      credentialSubject: subject,
    })
    expect(structureOf(answer)).toMatchObject({ passed: false, reason: 'malformed' })
  }
})

it('one of two status entries cannot be hidden', async () => {
  const entry = (index: number) => verifier.statusEntry('https://nowhere.invalid/list', index)
  const original = await credential(testKey(), { more: { credentialStatus: [entry(1), entry(2)] } })
  const iri = 'https://www.w3.org/2018/credentials#credentialStatus'
  for (const top of [{ [iri]: entry(2) }, { 'cred:credentialStatus': entry(2) }])
    expect(structureOf(await verifier.verify({ ...original, credentialStatus: entry(1), ...top }))).toMatchObject({
      passed: false,
      reason: 'malformed',
    })
})

it.each<[string, JsonObject]>([
  ['terms', { degree: 'https://v.example/degree' }],
  ['lists and datatypes', { degree: { '@id': 'https://v.example/degree', '@container': '@set' } }],
  ['a vocabulary', { '@vocab': 'https://v.example/' }],
])('a credential with a context of its issuer’s own verifies: %s', async (_, context) => {
  const document = await credential(testKey(), { contexts: [context] })
  expect((await verifier.verify(document)).body).toMatchObject({ verified: true })
})

/** The statements of a document without its proof, by the library alone. */
const statementsOf = ({ proof: _, ...document }: JsonObject): Promise<string> =>
  jsonld.canonize(document, {
    base: null,
    documentLoader: documentLoader(NO_EXTRA_CONTEXTS),
    algorithm: 'RDFC-1.0',
    format: 'application/n-quads',
    safe: true,
  })

it('a context that defines issuer anew leaves the issuer of a credential what it is, and counts for claims of that name', async () => {
  const context = { issuer: 'https://made-up.example/issuer' }
  const document = await signed()
  const extended = changed(document, { context })
  expect(await statementsOf(extended)).toBe(await statementsOf(document))
  expect((await verifier.verify(extended)).body.verified).toBe(true)
  const stranger = testKey().did
  for (const issuer of [stranger, { id: stranger, name: 'University' }])
    expect((await verifier.verify({ ...extended, issuer })).body.verified).toBe(false)
  const claim = { credentialSubject: { id: 'did:example:a', issuer: 'An exam board' } }
  const claiming = await credential(testKey(), { more: claim })
  expect((await verifier.verify(claiming)).body.verified).toBe(true)
  const moved = changed(claiming, { context })
  expect(await statementsOf(moved)).not.toBe(await statementsOf(claiming))
  expect((await verifier.verify(moved)).body.verified).toBe(false)
})
