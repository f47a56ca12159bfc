import { describe, expect, it } from 'vitest'
import { readStatus, wrongInCredential, wrongInPresentation } from './credential-form.js'
import type { Json, JsonObject } from './json.js'
import { CREDENTIALS_V1, CREDENTIALS_V2 } from './known-contexts.js'
import { unsignedCredential } from './testing.js'

const ISSUER = 'did:example:i'
const good: JsonObject = { '@context': [CREDENTIALS_V1], ...unsignedCredential(ISSUER) }
const { issuanceDate: _date, ...undated } = good

describe('a credential', () => {
  it.each<[string, JsonObject]>([
    ['as it is issued', {}],
    ['with the context of the second version', { '@context': CREDENTIALS_V2 }],
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

describe('a status entry', () => {
  const REGISTRY = `0x${'0b'.repeat(32)}`
  const legacy = (id: Json): Json => ({ id, type: 'CredentialStatusList2017' })
  const entry = {
    id: 'https://v.example/list#7',
    type: 'StatusList2021Entry',
    statusPurpose: 'revocation',
    statusListIndex: '7',
    statusListCredential: 'https://v.example/list',
  }

  it.each(['revocation', 'suspension'])('names a place in a list of %s', (purpose) => {
    expect(readStatus({ ...entry, statusPurpose: purpose })).toEqual({
      id: entry.id,
      list: entry.statusListCredential,
      index: 7,
      purpose,
    })
  })

  it.each([
    ['v1', `rev-reg:v1:${REGISTRY}`],
    ['dock', `REV-REG:DOCK:0x${'0B'.repeat(32)}`],
  ])('of 2017 names a registry of the ledger %s, in any letters', (ledger, id) => {
    expect(readStatus(legacy(id))).toEqual({ registryId: REGISTRY, ledger })
  })

  it.each<[string, Json, string, RegExp]>([
    ['a text', 'x', 'malformed', /no object/],
    ['a registry after something', legacy(`x-rev-reg:dock:${REGISTRY}`), 'malformed', /names no registry/],
    ['a registry before something', legacy(`rev-reg:dock:${REGISTRY}/x`), 'malformed', /names no registry/],
    ['a registry of no ledger', legacy(`rev-reg::${REGISTRY}`), 'malformed', /names no registry/],
    ['a registry of no length', legacy('rev-reg:dock:0x0b'), 'malformed', /names no registry/],
    ['a registry without an id', { type: 'CredentialStatusList2017' }, 'malformed', /names no registry/],
    ['an unknown kind', { ...entry, type: 'OwnStatus' }, 'unavailable', /type OwnStatus/],
    ['a list that is no text', { ...entry, statusListCredential: [] }, 'malformed', /no statusListCredential/],
    ['an index that is none', { ...entry, statusListIndex: '-1' }, 'malformed', /no valid statusListIndex/],
    ['another purpose', { ...entry, statusPurpose: 'message' }, 'unavailable', /purpose message/],
    ['no purpose', { ...entry, statusPurpose: null }, 'unavailable', /purpose null/],
  ])('with %s says why nobody here can look at it', (_, entry, wrong, detail) => {
    expect(readStatus(entry)).toEqual({ wrong, detail: expect.stringMatching(detail) })
  })
})
