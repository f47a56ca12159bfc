import { expect, it } from 'vitest'
import type { JsonObject } from '../json.js'
import { CREDENTIALS_V1, CREDENTIALS_V2 } from './contexts/known-contexts.js'
import { claimsOf } from './document-claims.js'

const resource = { id: 'https://r.example/a', digestSRI: 'sha256-x' }
const claimed = (context: string, more: JsonObject = {}) =>
  claimsOf({ '@context': [context], type: ['VerifiableCredential'], ...more })

it('related resources are claims of data model 2.0, as a list, where a credential names any', () => {
  expect(claimed(CREDENTIALS_V2, { relatedResource: resource }).relatedResources).toEqual([resource])
  expect(claimed(CREDENTIALS_V2, { relatedResource: [resource, resource] }).relatedResources).toHaveLength(2)
  expect(claimed(CREDENTIALS_V2)).not.toHaveProperty('relatedResources')
  expect(claimed(CREDENTIALS_V1, { relatedResource: resource })).not.toHaveProperty('relatedResources')
})

it('the document is signed as it stands, without its proof', () => {
  const document = {
    '@context': [CREDENTIALS_V1],
    id: 'urn:x',
    issuer: { id: 'did:example:a' },
    type: 'VerifiableCredential',
  }
  expect(claimsOf({ ...document, proof: { type: 'x' } })).toMatchObject({
    id: 'urn:x',
    issuer: 'did:example:a',
    types: ['VerifiableCredential'],
    schemas: [],
    statuses: [],
    isDerived: false,
    hidesClaims: false,
    document,
  })
  expect(claimsOf({ ...document, proof: {} }).document).not.toHaveProperty('proof')
})

it.each([
  [{ issuanceDate: 1, expirationDate: 2 }, [1], [2]],
  [{ validFrom: 3, validUntil: 4 }, [3], [4]],
  [{ issuanceDate: 1, validFrom: null }, [1, null], []],
  [{}, [], []],
])('the dates of %j are those of both data models', (document, begins, ends) => {
  expect(claimsOf(document).dates).toEqual({ begins, ends })
})

it('a status or schema that is null is none, and one of them is a list of one', () => {
  const [credentialStatus, credentialSchema] = [{ id: 'urn:s' }, { id: 'urn:t' }]
  expect(claimsOf({ credentialStatus, credentialSchema })).toMatchObject({
    statuses: [credentialStatus],
    schemas: [credentialSchema],
  })
  expect(claimsOf({ credentialStatus: null, credentialSchema: null })).toMatchObject({ statuses: [], schemas: [] })
})
