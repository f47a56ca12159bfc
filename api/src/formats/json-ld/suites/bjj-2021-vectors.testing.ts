/** Credentials with a BJJSignature2021 that never change: README.md here says how they are made. */

const did = 'did:svc:4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi'

/** The key, in hexadecimal; the public one is also that of the tests of iden3's libraries. */
export const VECTOR_KEY = {
  did,
  keyId: `${did}#keys-4`,
  secret: '0001020304050607080900010203040506070809000102030405060708090001',
  publicKey: 'c433f7a696b7aa3a5224efb3993baf0ccd9e92eecee0c29a3f6c8208a9e81d9e',
  publicKeyBase58: 'ECtsQFXxXnFvxu1fvKQatfvTtxnZLhidBTTaXB8wr1y7',
}

const OF_ISSUER = 'https://www.w3.org/ns/credentials/issuer-dependent#'

const contextsAfter = (first: string) => [
  first,
  'urn:accredit:context:bjj-2021',
  {
    UniversityDegreeCredential: `${OF_ISSUER}UniversityDegreeCredential`,
    degree: `${OF_ISSUER}degree`,
    graduate: `${OF_ISSUER}graduate`,
    year: `${OF_ISSUER}year`,
  },
]

const MEMBERS = {
  id: 'https://issuer.example/credentials/1',
  type: ['VerifiableCredential', 'UniversityDegreeCredential'],
  issuer: did,
  credentialSubject: { id: 'did:example:graduate', degree: 'M.Sc. Physics', graduate: 'Łucja Öztürk', year: 2026 },
}

/** The proof without its value. */
const PROOF = {
  type: 'BJJSignature2021',
  created: '2026-01-01T00:00:00.123Z',
  verificationMethod: VECTOR_KEY.keyId,
  proofPurpose: 'assertionMethod',
} as const

/** By data model; `element` is the number that is signed, 32 bytes, little-endian, in hexadecimal. */
export const VECTORS = {
  '1.1': {
    document: {
      '@context': contextsAfter('https://www.w3.org/2018/credentials/v1'),
      ...MEMBERS,
      issuanceDate: '2026-01-01T00:00:00Z',
    },
    proof: PROOF,
    element: '1cbeff491b980f2434c8ba0616813cde0a415a8a2fa8454a77939c136a141d05',
    proofValue: 'z2nYy627KuXZSHVaLoFUJWr3LV1EzFBXcSeTr5qQQT9nn1rCeHq9rPpKsrBNFPKPDtxtHNi14TRRSNybZsWBDPNC',
  },
  '2.0': {
    document: {
      '@context': contextsAfter('https://www.w3.org/ns/credentials/v2'),
      ...MEMBERS,
      validFrom: '2026-01-01T00:00:00Z',
    },
    proof: PROOF,
    element: 'f1aac89b08f67947a01bf97633af8b15a7d48c1d460f08b514465e9ccdd0b60c',
    proofValue: 'z3BxjtTdHSwy4pMwvgoGrBpWpW2yLf8NtUcm2WfV3FRmg11BorWTZr6sZybPWd9xge4fAMnWB7QA3kx3RZdwW3ynJ',
  },
}
