import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../json.js'
import { CREDENTIALS_V2 } from '../contexts/known-contexts.js'
import { unsignedCredential2 } from '../testing.js'
import { wrongInCredential, wrongInPresentation } from './credential-form.js'

const good: JsonObject = { '@context': [CREDENTIALS_V2], ...unsignedCredential2('did:example:i') }
const wrong = (more: JsonObject) => wrongInCredential({ ...good, ...more })
const SRI = 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
const tagged = { '@value': 'x', '@language': 'ar', '@direction': 'rtl' }

describe('a credential of data model 2.0', () => {
  const { validFrom: _, ...timeless } = good

  it('needs no date, and no id', () => {
    const { id: _id, ...nameless } = timeless
    expect(wrongInCredential(nameless)).toBeUndefined()
  })

  it.each<[string, JsonObject]>([
    ['an end that is its beginning', { validFrom: '2026-01-01T00:00:00Z', validUntil: '2026-01-01T01:00:00+01:00' }],
    ['labels in languages', { name: [tagged, 'x', { '@value': 'x' }], description: tagged }],
    ['an issuer with labels', { issuer: { id: 'https://i.example', name: tagged, description: 'x' } }],
    ['several things of a type', { evidence: [{ type: 'A' }, { type: ['A', 'B'], id: 'urn:x' }] }],
    ['a schema', { credentialSchema: { id: 'https://s.example', type: 'JsonSchema' } }],
    ['a subject without id', { credentialSubject: { a: 1 } }],
    ['a resource', { relatedResource: { id: 'https://r.example', digestSRI: SRI, mediaType: 'text/plain' } }],
  ])('may have %s', (_, more) => {
    expect(wrong(more)).toBeUndefined()
  })

  it.each<[string, JsonObject, RegExp]>([
    ['a date of 1.1', { issuanceDate: '2026-01-01T00:00:00Z' }, /issuanceDate is no member/],
    ['an end of 1.1', { expirationDate: '2026-01-01T00:00:00Z' }, /expirationDate is no member/],
    ['an end before its beginning', { validUntil: '2025-12-31T23:59:59Z' }, /validUntil lies before/],
    ['an end that is no text', { validUntil: 7 }, /validUntil is no text/],
    ['an id that is no URL', { id: 'not a url' }, /id is no URL/],
    ['an issuer that is no URL', { issuer: 'university' }, /issuer is no URL/],
    ['an issuer whose id is no URL', { issuer: { id: 'university' } }, /issuer is no URL/],
    ['a subject that says nothing', { credentialSubject: {} }, /says nothing/],
    ['a subject of several that says nothing', { credentialSubject: [{ a: 1 }, {}] }, /says nothing/],
    ['a subject whose id is no URL', { credentialSubject: { id: '1234', a: 1 } }, /no URL/],
    ['a label that is a number', { name: 7 }, /its name is neither/],
    ['a label without a text', { name: { '@language': 'en' } }, /its name is neither/],
    ['a label in no language', { description: { '@value': 'x', '@language': 'not a language' } }, /its description/],
    ['a label in no direction', { name: { '@value': 'x', '@direction': 'up' } }, /its name is neither/],
    ['a label with more in it', { name: { ...tagged, url: 'x' } }, /its name is neither/],
    ['no label among labels', { name: [] }, /its name is neither/],
    ['an issuer with such a label', { issuer: { id: 'urn:x', name: [tagged, 7] } }, /issuer’s name/],
    ['a schema without id', { credentialSchema: { type: 'JsonSchema' } }, /id of its credentialSchema/],
    ['a resource without digest', { relatedResource: { id: 'https://r.example' } }, /has no digest/],
    ['a resource that is an address', { relatedResource: 'https://r.example' }, /no URL as id/],
    ['a resource without address', { relatedResource: [{ digestSRI: SRI }] }, /no URL as id/],
    [
      'a resource twice',
      { relatedResource: [1, 2].map(() => ({ id: 'https://r.example', digestSRI: SRI })) },
      /names https:\/\/r\.example twice/,
    ],
  ])('has not %s', (_, more, told) => {
    expect(wrong(more)).toMatch(told)
  })

  it.each(['credentialStatus', 'credentialSchema', 'refreshService', 'evidence', 'termsOfUse'])(
    'names the type of each %s, and no id that is no URL',
    (name) => {
      const id = 'https://v.example/1'
      for (const value of [
        { id },
        { id, type: '' },
        { id, type: [] },
        { id, type: 7 },
        id,
        [{ id, type: 'A' }, { id }],
      ])
        expect(wrong({ [name]: value as Json })).toBe(`its ${name} has no type`)
      for (const other of ['relative', 7, null, [id]])
        expect(wrong({ [name]: { id: other, type: 'A' } })).toBe(`the id of its ${name} is no URL`)
      expect(wrong({ [name]: { id, type: 'A' } })).toBeUndefined()
    },
  )
})

it.each<[JsonObject, string | undefined]>([
  [{}, undefined],
  [{ holder: 'did:example:h', termsOfUse: { type: 'A' } }, undefined],
  [{ holder: 'somebody' }, 'its holder is no URL'],
  [{ id: 'relative' }, 'its id is no URL'],
  [{ termsOfUse: {} }, 'its termsOfUse has no type'],
])('a presentation of data model 2.0 with %j: %s', (more, told) => {
  expect(wrongInPresentation({ '@context': CREDENTIALS_V2, type: 'VerifiablePresentation', ...more })).toBe(told)
})
