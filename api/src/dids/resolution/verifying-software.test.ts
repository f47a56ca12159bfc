import {
  type DidDocument,
  type DidState,
  didDocument,
  didKeyState,
  didSvc,
  hex32Of,
  hexOf,
  parseDid,
} from '@accredit/chain'
import { Ed25519Signature2018 } from '@digitalbazaar/ed25519-signature-2018'
import { Ed25519Signature2020 } from '@digitalbazaar/ed25519-signature-2020'
import * as vc from '@digitalbazaar/vc'
import jsigs5 from 'jsonld-signatures-5'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../formats/json.js'
import { ed25519Of2018 } from '../../formats/json-ld/suites/ed25519-2018.js'
import { ed25519Of2020 } from '../../formats/json-ld/suites/ed25519-2020.js'
import { signedCredential, testKey } from '../../formats/json-ld/testing.js'
import { builtIn } from './linked-data.testing.js'

// Verifying software of two generations reads our documents offline: it has its contexts and the document.
const key = testKey()
const ledgerState: DidState = {
  did: didSvc(hex32Of(new Uint8Array(32).fill(9))),
  keys: [
    { id: 1, key: { kind: 'Ed25519', publicKey: hexOf(key.publicKey) }, relationships: 7 },
    { id: 2, key: { kind: 'Bls12381G2', publicKey: hexOf(new Uint8Array(96).fill(7)) }, relationships: 2 },
    { id: 3, key: { kind: 'X25519', publicKey: hexOf(new Uint8Array(32).fill(7)) }, relationships: 8 },
  ],
  controllers: [],
  services: [{ id: 'didcomm', type: 'DIDCommMessaging', endpoints: ['https://accredit.example/messaging/receive'] }],
}
/** Types that are words of the document itself, and of the language that the software is written in. */
const oddTypes = ['Ed25519VerificationKey2018', 'publicKeyBase58', 'id', 'publicKey', 'constructor', '__proto__']
const withOddServices: DidState = {
  ...ledgerState,
  services: oddTypes.map((type, at) => ({ id: `s${at}`, type, endpoints: ['https://university.example/'] })),
}
const keyState = didKeyState(parseDid(key.did) ?? never()) ?? never()

const cases = [
  { name: 'did:svc', document: didDocument(ledgerState), keyId: `${ledgerState.did}#keys-1` },
  {
    name: 'did:svc with services of odd types',
    document: didDocument(withOddServices),
    keyId: `${ledgerState.did}#keys-1`,
  },
  { name: 'did:key', document: didDocument(keyState), keyId: key.keyId },
]

/** Answers every URL inside the DID with its document, out of which JSON-LD software frames what it asked for. */
const wholeDocument = (document: DidDocument) => async (url: string) => {
  if (url.split('#')[0] === document.id) return { contextUrl: null, documentUrl: url, document }
  return builtIn(url)
}

/** Answers the id of a key with the key alone, as software does that reads plain JSON. */
const dereferenced = (document: DidDocument) => async (url: string) => {
  const method = document.verificationMethod?.find(({ id }) => id === url)
  if (method === undefined) return wholeDocument(document)(url)
  return { contextUrl: null, documentUrl: url, document: { '@context': document['@context'], ...method } }
}

interface Software {
  name: string
  suite: typeof ed25519Of2018
  verify(credential: JsonObject, document: DidDocument): Promise<{ verified: boolean; error?: { errors?: unknown[] } }>
}

const software: Software[] = [
  {
    name: 'jsonld-signatures 5, which reads publicKeyBase58',
    suite: ed25519Of2018,
    verify: (credential, document) =>
      jsigs5.verify(credential, {
        suite: new jsigs5.suites.Ed25519Signature2018(),
        purpose: new jsigs5.purposes.AssertionProofPurpose(),
        documentLoader: wholeDocument(document),
      }),
  },
  {
    name: '@digitalbazaar/vc 7, which reads publicKeyMultibase,',
    suite: ed25519Of2018,
    verify: (credential, document) =>
      vc.verifyCredential({ credential, suite: new Ed25519Signature2018(), documentLoader: dereferenced(document) }),
  },
  {
    name: '@digitalbazaar/vc 7, which reads publicKeyMultibase,',
    suite: ed25519Of2020,
    verify: (credential, document) =>
      vc.verifyCredential({ credential, suite: new Ed25519Signature2020(), documentLoader: dereferenced(document) }),
  },
]

describe.each(cases)('by the document of a $name', ({ document, keyId }) => {
  const issue = (suite: typeof ed25519Of2018) => signedCredential({ ...key, did: document.id, keyId }, suite)

  test.each(software)('$name verifies proofs of type $suite.proofType', async ({ suite, verify }) => {
    const credential = await issue(suite)
    const { verified, error } = await verify(credential, document)
    expect(error?.errors ?? error).toBeUndefined()
    expect(verified).toBe(true)
  })

  test.each(software)('$name refuses a changed claim under $suite.proofType, and a key for nothing', async (one) => {
    const credential = await issue(one.suite)
    const changed = { ...credential, issuanceDate: '2020-01-01T00:00:00Z' }
    expect((await one.verify(changed, document)).verified).toBe(false)
    expect((await one.verify(credential, { ...document, assertionMethod: [] })).verified).toBe(false)
  })
})

function never(): never {
  throw new Error('a fixture is wrong')
}
