import { decodeBase58 } from '@accredit/chain'
import type { JsonObject } from '../../json.js'
import { type TestKey, testKey } from '../testing.js'

const document: JsonObject = {
  '@context': ['https://www.w3.org/ns/credentials/v2', 'https://www.w3.org/ns/credentials/examples/v2'],
  id: 'urn:uuid:58172aac-d8ba-11ed-83dd-0b3aef56cc33',
  type: ['VerifiableCredential', 'AlumniCredential'],
  name: 'Alumni Credential',
  description: 'A minimum viable example of an Alumni Credential.',
  issuer: 'https://vc.example/issuers/5678',
  validFrom: '2023-01-01T00:00:00Z',
  credentialSubject: { id: 'did:example:abcdefgh', alumniOf: 'The School of Examples' },
}
const proof = (cryptosuite: string, more: JsonObject): JsonObject => ({
  type: 'DataIntegrityProof',
  cryptosuite,
  created: '2023-02-24T23:36:38Z',
  verificationMethod: 'https://vc.example/issuers/5678#z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2',
  proofPurpose: 'assertionMethod',
  ...more,
})
const [first, second, third] = [
  'urn:uuid:26329423-bec9-4b2e-88cb-a7c7d9dc4544',
  'urn:uuid:8cc9022b-6b14-4cf3-8571-74972c5feb54',
  'urn:uuid:d94f792a-c546-4d06-b38a-da070ab56c23',
]

/**
 * The signed documents of the test vectors of Data Integrity EdDSA Cryptosuites 1.0: one of each suite, and a chain in
 * which a proof stands over two others. Each names its key as the fragment of the method.
 * https://www.w3.org/TR/vc-di-eddsa/#test-vectors, https://www.w3.org/TR/vc-data-integrity/#proof-chains
 */
export const W3C_VECTORS: Readonly<Record<'eddsa-rdfc-2022' | 'eddsa-jcs-2022' | 'a chain', JsonObject>> = {
  'eddsa-rdfc-2022': {
    ...document,
    proof: proof('eddsa-rdfc-2022', {
      proofValue: 'z21EVs3eXERqTn4acNHT9viboqgzUaQ3kTmhPT3eA8qrVPE7CrQq78WkzctnMX5W4CrzcKnHw8V6dvy5pgWYCU5e9',
    }),
  },
  'eddsa-jcs-2022': {
    ...document,
    proof: proof('eddsa-jcs-2022', {
      '@context': document['@context'] ?? null,
      proofValue: 'z63t83Y53KfzJ5ZosfKTnqfMcKB2dmTrfjSaQjeNNjAD5srBowQfmWqeRb8rRjmeEuCBEsddF9LsVogtuTsijJKh4',
    }),
  },
  'a chain': {
    ...document,
    proof: [
      proof('eddsa-rdfc-2022', {
        id: first ?? null,
        verificationMethod: 'https://vc.example/issuers/56781#z6MktgKTsu1QhX6QPbyqG6geXdw6FQCZBPq7uQpieWbiQiG7',
        proofValue: 'z5KTX5yikM4eUukZW9qh66LGT3KZEUCACGpWcT2t4Yd54NMoFRchGmH4778omyNFAD3weSt6sNk5fuaMQmhhzNmEC',
      }),
      proof('eddsa-rdfc-2022', {
        id: second ?? null,
        verificationMethod: 'https://vc.example/issuers/56782#z6MkhWqdDBPojHA7cprTGTt5yHv5yUi1B8cnXn8ReLumkw6E',
        proofValue: 'z5KXNyXDcm822dHS37tmS6Xc7FFNo8c73AfeqmfHoywPxnXWNjWKYK3VQzt3CMUoK9uAqsboVHKJXxuYwbdnfxZeA',
      }),
      proof('eddsa-rdfc-2022', {
        id: third ?? null,
        created: '2023-02-26T22:06:38Z',
        verificationMethod: 'https://vc.example/issuers/56783#z6MkmEq87wkHCYnWnNZkigeDMGTN7oUw1upkhzd77KuXERS1',
        previousProof: [first ?? null, second ?? null],
        proofValue: 'z2hcFbMaj3BJufikuLZQ36gAXVT9J3ZiwB9rqN3j7VdqyT1GaQPbMTaF1Q2gn7h75ZcJ6JpV9pvNoDumvcjtmSRAV',
      }),
    ],
  },
}

/** The public half of the key that a vector names: nobody here can sign with it. */
export function keyOfVector(verificationMethod: string): TestKey {
  const multibase = verificationMethod.split('#')[1] ?? ''
  const bytes = decodeBase58(multibase.slice(1))
  if (bytes === undefined) throw new Error('a vector names no key')
  return { ...testKey(), keyId: verificationMethod, multibase, publicKey: bytes.slice(2) }
}
