import type { Json, JsonObject } from '../json.js'
import { CREDENTIALS_V2 } from './contexts/known-contexts.js'

const example = (more: JsonObject): JsonObject => ({
  '@context': [CREDENTIALS_V2, 'https://www.w3.org/ns/credentials/examples/v2'],
  id: 'http://university.example/credentials/3732',
  type: ['VerifiableCredential', 'ExampleDegreeCredential'],
  issuer: 'did:example:university',
  validFrom: '2010-01-01T19:23:24Z',
  credentialSubject: degree,
  ...more,
})
const degree: JsonObject = {
  id: 'did:example:ebfeb1f712ebc6f1c276e12ec21',
  degree: { type: 'ExampleBachelorDegree', name: 'Bachelor of Science and Arts' },
}
const inArabic = (text: string): Json => ({ '@value': text, '@language': 'ar', '@direction': 'rtl' })
const inEnglish = (text: string): Json => ({ '@value': text, '@language': 'en' })

/** Credentials as they stand in the standard, without proof. https://www.w3.org/TR/vc-data-model-2.0/ */
export const W3C_EXAMPLES_2: Readonly<Record<string, JsonObject>> = {
  'a degree': example({}),
  'an issuer with a name': example({
    issuer: { id: 'did:example:76e12ec712ebc6f1c221ebfeb1f', name: 'Example University' },
    name: 'Example University Degree',
    description: '2015 Bachelor of Science and Arts Degree',
  }),
  'labels in several languages and directions': example({
    issuer: {
      id: 'https://university.example/issuers/565049',
      name: [inEnglish('Example University'), inArabic('جامعة المثال')],
      description: [inEnglish('A public university focusing on teaching examples.'), inArabic('جامعة عامة')],
    },
    name: [inEnglish('Example University Degree'), inArabic('شهادة جامعية')],
  }),
  'an end': example({ validUntil: '2100-01-01T19:23:24Z' }),
  'several subjects': example({
    type: ['VerifiableCredential', 'RelationshipCredential'],
    issuer: 'https://issuer.example/issuer/123',
    credentialSubject: [
      {
        id: 'did:example:ebfeb1f712ebc6f1c276e12ec21',
        name: 'Jayden Doe',
        spouse: 'did:example:c276e12ec21ebfeb1f712ebc6f1',
      },
      {
        id: 'https://subject.example/subject/8675',
        name: 'Morgan Doe',
        spouse: 'https://subject.example/subject/7421',
      },
    ],
  }),
  'evidence, terms of use, a service to refresh it, and a schema': example({
    evidence: [
      {
        id: 'https://university.example/evidence/f2aeec97-fc0d-42bf-8ca7-0548192d4231',
        type: ['DocumentVerification'],
        verifier: 'https://university.example/issuers/14',
        evidenceDocument: 'DriversLicense',
        subjectPresence: 'Physical',
        documentPresence: 'Physical',
      },
    ],
    termsOfUse: {
      type: 'TrustFrameworkPolicy',
      trustFramework: 'Employment&Life',
      policyId: 'https://policy.example/policies/125',
      legalBasis: 'professional qualifications directive',
    },
    refreshService: {
      type: 'VerifiableCredentialRefreshService2021',
      url: 'https://university.example/workflows/refresh-degree',
      refreshToken: 'z2BJYfNtmWRiouWhDrbDQmC2zicUPBxsPg',
    },
    credentialSchema: [
      { id: 'https://university.example/schemas/degree.json', type: 'JsonSchema' },
      { id: 'https://university.example/schemas/alumni.json', type: 'JsonSchema' },
    ],
  }),
  'resources with digests': example({
    relatedResource: [
      {
        id: 'https://university.example/images/degree.png',
        digestSRI: 'sha384-S57yQDg1MTzF56Oi9DbSQ14u7jBy0RDdx0YbeV7shwhCS88G8SCXeFq82PafhCrW',
      },
      {
        id: 'https://www.w3.org/ns/credentials/examples/v2',
        digestMultibase: 'uEiBZlVztZpfWHgPyslVv6-UwirFoQoRvW1htfx963sknNA',
        mediaType: 'application/ld+json',
      },
    ],
  }),
}
