import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../json.js'
import { CREDENTIALS_V1, CREDENTIALS_V2 } from '../contexts/known-contexts.js'
import { unsignedCredential } from '../testing.js'
import { wrongInCredential, wrongInPresentation } from './credential-form.js'

const ISSUER = 'did:example:i'
const good: JsonObject = { '@context': [CREDENTIALS_V1], ...unsignedCredential(ISSUER) }
const { issuanceDate: _date, ...undated } = good

describe('a credential', () => {
  it.each<[string, JsonObject]>([
    ['as it is issued', {}],
    ['with one type', { type: 'VerifiableCredential' }],
    ['with an issuer that is described', { issuer: { id: ISSUER, name: 'University' } }],
    ['with several subjects', { credentialSubject: [{ id: 'did:example:a' }, {}] }],
    ['with a size of its own', { byteSize: 1 }],
    ['with a time of its own', { createdAt: '2026-01-01T00:00:00Z' }],
  ])('is one %s', (_, more) => {
    expect(wrongInCredential({ ...good, ...more })).toBeUndefined()
  })

  it('is one with the date of the second version', () => {
    expect(wrongInCredential({ ...undated, validFrom: '2026-01-01T00:00:00Z' })).toBeUndefined()
  })

  it.each<[string, JsonObject, RegExp]>([
    ['its metadata', { byteSize: 1, createdAt: '' }, /metadata/],
    ['no context', { '@context': [] }, /first of its @context/],
    ['a context twice', { '@context': [CREDENTIALS_V1, { a: 'urn:a' }, { a: 'urn:a' }] }, /twice/],
    ['the first context twice', { '@context': [CREDENTIALS_V1, CREDENTIALS_V1] }, /twice/],
    ['the context of the second version', { '@context': CREDENTIALS_V2 }, /issuanceDate is no member/],
    ['another first context', { '@context': ['https://v.example/', CREDENTIALS_V1] }, /first of its @context/],
    ['an end that is no text', { expirationDate: 1 }, /its expirationDate is no text/],
    ['no type of a credential', { type: ['X'] }, /lacks VerifiableCredential/],
    ['the type of a presentation too', { type: ['VerifiableCredential', 'VerifiablePresentation'] }, /presentation/],
    ['an issuer without id', { issuer: { name: 'University' } }, /no issuer/],
    ['no subject', { credentialSubject: [] }, /no credentialSubject/],
    ['a subject that is a text', { credentialSubject: [{}, 'did:example:a'] }, /no credentialSubject/],
  ])('is none with %s, and that is what is told', (_, more, told) => {
    expect(wrongInCredential({ ...good, ...more })).toMatch(told)
  })

  it('is read in the time that its length takes, however many contexts it names', () => {
    const contexts = Array.from({ length: 30_000 }, (_, number) => number)
    const begun = performance.now()
    expect(wrongInCredential({ ...good, '@context': [CREDENTIALS_V1, ...contexts] })).toBeUndefined()
    expect(performance.now() - begun).toBeLessThan(1_000)
  })

  it.each([
    ...['id', 'issuanceDate', 'expirationDate', 'validFrom', 'validUntil'],
    ...['rootCredentialId', 'previousCredentialId'],
  ])('has a text for its %s, or nothing', (name) => {
    for (const value of [null, [], {}, 7])
      expect(wrongInCredential({ ...good, [name]: value })).toBe(`its ${name} is no text`)
  })

  it('is none without a date', () => {
    expect(wrongInCredential(undated)).toMatch(/no issuanceDate/)
  })
})

it.each<[JsonObject, string | undefined]>([
  [{}, undefined],
  [{ holder: ISSUER }, undefined],
  [{ holder: { id: ISSUER, name: 'A' } }, undefined],
  [{ holder: { name: 'A' } }, 'its holder has no id'],
  [{ holder: null }, 'its holder has no id'],
  [{ validUntil: [] }, 'its validUntil is no text'],
])('a presentation with %j says who holds it, or nobody: %s', (more, told) => {
  expect(wrongInPresentation({ '@context': CREDENTIALS_V1, ...more })).toBe(told)
})
