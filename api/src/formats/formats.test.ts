import { expect, it } from 'vitest'
import { FORMATS, formatsOf } from './formats.js'
import type { Json, JsonObject } from './json.js'
import { CREDENTIALS_V1 } from './json-ld/contexts/known-contexts.js'
import { LIMITS } from './json-ld/limits.js'
import { unsignedCredential } from './json-ld/testing.js'

const { recognise } = formatsOf(FORMATS)

const proof: JsonObject = { type: 'Ed25519Signature2020' }
const credential: JsonObject = { '@context': CREDENTIALS_V1, ...unsignedCredential('did:example:i'), proof }
const presentation: JsonObject = {
  '@context': CREDENTIALS_V1,
  type: 'VerifiablePresentation',
  verifiableCredential: credential,
  proof,
}
const many = (length: number, item: Json = proof): Json[] => Array.from({ length }, () => item)
const refused = (reason: string, detail: RegExp) => ({ passed: false, reason, detail: expect.stringMatching(detail) })

it.each<[string, Json]>([
  ['a proof', credential],
  ['as many proofs as there may be', { ...credential, proof: many(8) }],
])('a credential with %s has its form', (_, document) => {
  expect(recognise(document)).toMatchObject({ kind: 'credential', claims: { issuer: 'did:example:i' } })
})

it.each<[string, Json, ReturnType<typeof refused>]>([
  ['nothing', null, refused('malformed', /not an object/)],
  ['a list', [], refused('malformed', /not an object/)],
  ['no issuer', { ...credential, issuer: null }, refused('malformed', /issuer/)],
  ['no proof', { ...credential, proof: [] }, refused('malformed', /not signed/)],
  ['a proof that is none beside one', { ...credential, proof: [proof, 'x'] }, refused('malformed', /not signed/)],
  ['more proofs than there may be', { ...credential, proof: many(9) }, refused('malformed', /more than 8 proofs/)],
  ['a NUL', { ...credential, name: 'x\0' }, refused('malformed', /NUL/)],
  ['too many bytes', { ...credential, name: 'x'.repeat(LIMITS.bytes) }, refused('too_large', /bytes/)],
])('a document with %s is no credential', (_, document, finding) => {
  expect(recognise(document)).toEqual({ kind: 'credential', wrong: finding })
})

it.each<[string, string]>([
  ['eyJh.eyJ2.c2ln', 'malformed'],
  ['eyJh.eyJ2.', 'malformed'],
  ['eyJ-_h.eyJ2.c2ln~WyJ~', 'malformed'],
  ['eyJh.eyJ2.c2ln x', 'malformed'],
  ['x eyJh.eyJ2.c2ln', 'malformed'],
  ['.eyJ2.c2ln', 'malformed'],
  ['eyJh..c2ln', 'malformed'],
  ['eyJh.eyJ2', 'malformed'],
  ['eyJh.eyJ2.c2ln.x', 'malformed'],
  ['e+Jh.eyJ2.c2ln', 'malformed'],
  ['eyJh.e+J2.c2ln', 'malformed'],
  ['eyJh.eyJ2.c+ln', 'malformed'],
])('the text %s is %s', (text, reason) => {
  expect(recognise(text)).toMatchObject({ kind: 'credential', wrong: { passed: false, reason } })
})

it.each<[string, JsonObject]>([
  ['one credential', {}],
  ['as many as there may be', { verifiableCredential: many(LIMITS.credentialsOfPresentation, {}) }],
  ['a credential as large as it may be', { verifiableCredential: { name: 'x'.repeat(LIMITS.bytes) } }],
])('a presentation of %s has its form', (_, more) => {
  const recognised = recognise({ ...presentation, ...more })
  expect(recognised).toMatchObject({ kind: 'presentation', holder: undefined })
  expect(recognised.wrong).toBeUndefined()
})

it('a fault while a document is read is no finding about it', () => {
  const breaking = {
    ...credential,
    get name(): string {
      throw new TypeError('a fault')
    },
  }
  expect(() => recognise(breaking)).toThrow(TypeError)
})

it('a presentation tells who holds it, its dates and its credentials', () => {
  const told = { holder: { id: 'did:example:h' }, validUntil: '2030-01-01T00:00:00Z' }
  expect(recognise({ ...presentation, ...told, verifiableCredential: [credential, 'a token'] })).toMatchObject({
    holder: 'did:example:h',
    dates: { begins: [], ends: ['2030-01-01T00:00:00Z'] },
    credentials: [
      { kind: 'document', document: credential },
      { kind: 'document', document: 'a token' },
    ],
  })
})

it.each<[string, JsonObject, ReturnType<typeof refused>]>([
  ['no context', { '@context': null }, refused('malformed', /@context/)],
  ['no proof', { proof: null }, refused('malformed', /not signed/)],
  ['a status', { credentialStatus: null }, refused('malformed', /credentialStatus belongs/)],
  ['a schema', { credentialSchema: null }, refused('malformed', /credentialSchema belongs/)],
  ['a subject', { credentialSubject: null }, refused('malformed', /credentialSubject belongs/)],
  ['no credential', { verifiableCredential: [] }, refused('malformed', /no credential/)],
  [
    'more credentials than there may be',
    { verifiableCredential: many(LIMITS.credentialsOfPresentation + 1, {}) },
    refused('too_large', /more than 32 credentials/),
  ],
  ['too many members', { claims: many(6_000, { a: 1 }) }, refused('too_large', /members/)],
])('a document with %s is no presentation', (_, more, finding) => {
  expect(recognise({ ...presentation, ...more })).toEqual({ kind: 'presentation', wrong: finding })
})

it('a presentation is known by its type', () => {
  for (const known of [presentation, { type: ['X', 'VerifiablePresentation'] }])
    expect(recognise(known).kind).toBe('presentation')
  for (const other of [credential, {}, 'VerifiablePresentation', [presentation], null])
    expect(recognise(other).kind).toBe('credential')
})
