import type { JsonObject } from '../json.js'
import { CREDENTIALS_V1, ED25519_2020 } from './contexts/known-contexts.js'

const EXAMPLES = 'https://www.w3.org/2018/credentials/examples/v1'

const example = (context: string, more: JsonObject): JsonObject => ({
  '@context': [CREDENTIALS_V1, context, ED25519_2020],
  id: 'http://example.edu/credentials/3732',
  issuer: 'did:example:university',
  issuanceDate: '2010-01-01T19:23:24Z',
  ...more,
})
const degree: JsonObject = {
  id: 'did:example:ebfeb1f712ebc6f1c276e12ec21',
  degree: { type: 'BachelorDegree', name: 'Bachelor of Science and Arts' },
}
const DEGREE = ['VerifiableCredential', 'UniversityDegreeCredential']

/**
 * Credentials as they stand in the standard and beside it, under contexts that ship with the service; without proof.
 * https://www.w3.org/TR/vc-data-model/ (1.1), https://w3c-ccg.github.io/citizenship-vocab/, https://schema.org
 */
export const W3C_EXAMPLES: Readonly<Record<string, JsonObject>> = {
  'a degree': example(EXAMPLES, { type: DEGREE, credentialSubject: degree }),
  'two subjects, each of which names the other': example(EXAMPLES, {
    type: ['VerifiableCredential', 'RelationshipCredential'],
    credentialSubject: [
      {
        id: 'did:example:ebfeb1f712ebc6f1c276e12ec21',
        name: 'Jayden Doe',
        spouse: { id: 'did:example:c276e12ec21ebfeb1f712ebc6f1' },
      },
      {
        id: 'did:example:c276e12ec21ebfeb1f712ebc6f1',
        name: 'Morgan Doe',
        spouse: { id: 'did:example:ebfeb1f712ebc6f1c276e12ec21' },
      },
    ],
  }),
  'terms of use about the credential itself': example(EXAMPLES, {
    type: DEGREE,
    credentialSubject: degree,
    expirationDate: '2100-01-01T00:00:00Z',
    termsOfUse: [
      {
        type: 'IssuerPolicy',
        id: 'http://example.com/policies/credential/4',
        profile: 'http://example.com/profiles/credential',
        prohibition: [
          {
            assigner: 'https://example.edu/issuers/14',
            assignee: 'https://example.org/examples#AllVerifiers',
            target: 'http://example.edu/credentials/3732',
            action: ['Archival'],
          },
        ],
      },
    ],
  }),
  'a permanent resident card': example('https://w3id.org/citizenship/v1', {
    id: 'https://issuer.oidp.uscis.gov/credentials/83627465',
    type: ['VerifiableCredential', 'PermanentResidentCard'],
    name: 'Permanent Resident Card',
    description: 'Government of Example Permanent Resident Card.',
    identifier: '83627465',
    expirationDate: '2029-12-03T12:19:52Z',
    credentialSubject: {
      id: 'did:example:b34ca6cd37bbf23',
      type: ['PermanentResident', 'Person'],
      givenName: 'JOHN',
      familyName: 'SMITH',
      gender: 'Male',
      image: 'data:image/png;base64,iVBORw0KGgokJggg==',
      residentSince: '2015-01-01T00:00:00Z',
      lprCategory: 'C09',
      lprNumber: '999-999-999',
      commuterClassification: 'C1',
      birthCountry: 'Bahamas',
      birthDate: '1958-07-17T00:00:00Z',
    },
  }),
  'a person with several names and none, in the words of schema.org': example('https://schema.org', {
    type: ['VerifiableCredential'],
    credentialSubject: {
      id: 'did:example:graduate',
      type: 'Person',
      name: { '@value': 'Łucja Öztürk', '@language': 'pl' },
      alternateName: ['Łucja', 'Lucia'],
      knowsLanguage: { '@set': ['pl', 'tr'] },
      alumniOf: [
        { id: 'https://w.bilkent.edu.tr', type: 'CollegeOrUniversity', foundingDate: '1984-10-20' },
        { type: 'CollegeOrUniversity', numberOfEmployees: 1000, isAccessibleForFree: false },
      ],
      knowsAbout: { '@list': ['physics', 'physics'] },
    },
  }),
}
