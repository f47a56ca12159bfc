import { createHash } from 'node:crypto'
import { didSvc, hexOf } from '@accredit/chain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../formats/json.js'
import { hashHere } from '../formats/json-ld/canonical/canonize.js'
import { NO_EXTRA_CONTEXTS } from '../formats/json-ld/contexts/document-loader.js'
import { CREDENTIALS_V1, CREDENTIALS_V2, DATA_INTEGRITY_V2 } from '../formats/json-ld/contexts/known-contexts.js'
import { addProof } from '../formats/json-ld/linked-data-proof.js'
import { eddsaJcs2022 } from '../formats/json-ld/suites/eddsa-jcs-2022.js'
import { eddsaRdfc2022 } from '../formats/json-ld/suites/eddsa-rdfc-2022.js'
import type { IssuingSuite } from '../formats/json-ld/suites/signature-suite.js'
import { signedOf, type TestKey, testKey } from '../formats/json-ld/testing.js'
import { checkOf, expectFailure, hex32, TestVerifier, timeOf } from './testing.js'

let verifier: TestVerifier
beforeAll(async () => {
  const guardedFetch = async () => Buffer.from(JSON.stringify(DID_WEB))
  verifier = await TestVerifier.open([], { guardedFetch })
})
afterAll(() => verifier.close())

const WEB = 'did:web:university.example'
const ON_THE_WEB = testKey()
const DID_WEB: JsonObject = {
  '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
  id: WEB,
  verificationMethod: [
    { id: `${WEB}#key-1`, type: 'Multikey', controller: WEB, publicKeyMultibase: ON_THE_WEB.multibase },
  ],
  assertionMethod: [`${WEB}#key-1`],
}

const SUITES = [
  { name: 'eddsa-rdfc-2022', suite: eddsaRdfc2022, other: eddsaJcs2022 },
  { name: 'eddsa-jcs-2022', suite: eddsaJcs2022, other: eddsaRdfc2022 },
]
const OPTIONS = { created: timeOf(50).toISOString() }
const MORE = { validFrom: timeOf(49).toISOString() }

const credentialOf = (key: TestKey, suite: IssuingSuite, more: Parameters<typeof signedOf>[2] = {}) =>
  signedOf(key, suite, { more: MORE, options: OPTIONS, ...more })

it('a resource that cannot be had is told by its address, shortened', async () => {
  const { key } = await verifier.did()
  // The service serves none there.
  const id = `${verifier.apiUrl}/${'x'.repeat(500)}`
  const relatedResource = { id, digestSRI: `sha256-${'A'.repeat(43)}=` }
  const { body } = await verifier.verify(await credentialOf(key, eddsaRdfc2022, { more: { ...MORE, relatedResource } }))
  expect(body).toMatchObject({
    verified: true,
    warnings: [expect.stringContaining(`the resource ${id.slice(0, 200)} was not compared`)],
  })
})

it('a resource is compared with its digest, and one that is another is told by its address, shortened', async () => {
  const { key } = await verifier.did()
  const id = `https://v.example/${'x'.repeat(500)}`
  const digest = createHash('sha256').update(JSON.stringify(DID_WEB)).digest('base64')
  const naming = async (digestSRI: string) =>
    verifier.verify(await credentialOf(key, eddsaRdfc2022, { more: { ...MORE, relatedResource: { id, digestSRI } } }))
  const { verified, warnings } = (await naming(`sha256-${digest}`)).body
  expect([verified, warnings]).toEqual([true, undefined])
  const other = await naming(`sha256-${'A'.repeat(43)}=`)
  expectFailure(other, 'proof', 'other_digest')
  expect(other.body.error).toContain(`: ${id.slice(0, 200)} has another digest`)
})

/** A presentation that `key` signs. */
const presentationOf = (
  key: TestKey,
  suite: IssuingSuite,
  {
    context = [CREDENTIALS_V2],
    credentials,
    options = {},
  }: { context?: Json[]; credentials: Json[]; options?: JsonObject },
) =>
  addProof({
    document: {
      '@context': context,
      type: ['VerifiablePresentation'],
      holder: key.did,
      verifiableCredential: credentials,
    },
    suite,
    options: {
      created: timeOf(60).toISOString(),
      verificationMethod: key.keyId,
      proofPurpose: 'authentication',
      ...options,
    },
    hash: hashHere(NO_EXTRA_CONTEXTS),
    sign: key.sign,
  })

describe.each(SUITES)('$name', ({ suite, other }) => {
  it('of a DID on the ledger and of a did:key is verified in both data models', async () => {
    const { key } = await verifier.did()
    for (const signer of [key, testKey()]) {
      expect((await verifier.verify(await credentialOf(signer, suite))).body).toMatchObject({ verified: true })
      const older = { model: '1.1', more: { issuanceDate: timeOf(49).toISOString() } } as const
      expect((await verifier.verify(await credentialOf(signer, suite, older))).body).toMatchObject({ verified: true })
    }
  })

  it('of a did:web is verified by a key that stands there as a Multikey alone', async () => {
    const document = await credentialOf({ ...ON_THE_WEB, did: WEB, keyId: `${WEB}#key-1` }, suite)
    expect((await verifier.verify(document)).body).toMatchObject({ verified: true })
    const other = await credentialOf({ ...testKey(), did: WEB, keyId: `${WEB}#key-1` }, suite)
    expectFailure(await verifier.verify(other), 'proof', 'invalid_signature')
  })

  it('without a time is verified, but not by a key that is out of use', async () => {
    const timeless = { options: {}, isTimeless: true }
    const { key } = await verifier.did()
    expect((await verifier.verify(await credentialOf(key, suite, timeless))).body).toMatchObject({ verified: true })
    const { key: retired } = await verifier.did({ to: 70, endReason: 'retired' })
    expect((await verifier.verify(await credentialOf(retired, suite))).body).toMatchObject({ verified: true })
    expectFailure(await verifier.verify(await credentialOf(retired, suite, timeless)), 'issuerKey', 'key_retired')
  })

  it('is refused after its end, and when its end is no date', async () => {
    const { key } = await verifier.did()
    const until = (expires: Json) => credentialOf(key, suite, { options: { ...OPTIONS, expires } })
    expect((await verifier.verify(await until(timeOf(101).toISOString()))).body).toMatchObject({ verified: true })
    for (const end of [timeOf(100).toISOString(), '2090-01-01'])
      expectFailure(await verifier.verify(await until(end)), 'validity', 'expired')
  })

  it('is refused by a key of another kind that has the same bytes', async () => {
    const key = testKey()
    const did = didSvc(hex32(suite === eddsaRdfc2022 ? 0xd1 : 0xd2))
    await verifier.ledger.row('did', { did, submitter: '5x', from_block: 10, to_block: null })
    await verifier.ledger.row('did_key', {
      did,
      key_id: 1,
      kind: 'Sr25519',
      public_key: hexOf(key.publicKey),
      relationships: 7,
      from_block: 10,
      to_block: null,
      end_reason: null,
    })
    const document = await credentialOf({ ...key, did, keyId: `${did}#keys-1` }, suite)
    expectFailure(await verifier.verify(document), 'issuerKey', 'key_type_not_supported')
  })

  it('is refused by a key of somebody else, alone and beside a good one', async () => {
    const [{ key }, { key: stranger }] = [await verifier.did(), await verifier.did()]
    const good = await credentialOf(key, suite)
    const named = { more: { ...MORE, issuer: key.did } }
    const bad = await credentialOf(stranger, suite, named)
    expectFailure(await verifier.verify(bad), 'issuerKey', 'not_the_issuer')
    for (const proof of [
      [good.proof, bad.proof],
      [bad.proof, good.proof],
    ])
      expectFailure(await verifier.verify({ ...good, proof }), 'issuerKey', 'not_the_issuer')
    const wrong = { ...good.proof, proofValue: bad.proof.proofValue ?? null }
    expectFailure(await verifier.verify({ ...good, proof: [good.proof, wrong] }), 'proof', 'invalid_signature')
  })

  it('is refused by a name of a suite that is not known, by that reason', async () => {
    const { key } = await verifier.did()
    const good = await credentialOf(key, suite)
    const renamed = { ...good, proof: { ...good.proof, cryptosuite: 'eddsa-rdfc-2032' } }
    expectFailure(await verifier.verify(renamed), 'proof', 'unsupported_cryptosuite')
  })

  it('of a presentation answers a challenge, for one of its domains', async () => {
    const { key } = await verifier.did()
    const options = { challenge: 'c', domain: ['a.example', 'b.example'] }
    const credentials = [await credentialOf(key, suite), await credentialOf(key, other)]
    const document = await presentationOf(key, suite, { credentials, options })
    const asked = async (challenge: string, domain: string) => verifier.verify({ data: document, challenge, domain })
    for (const domain of options.domain) expect((await asked('c', domain)).body).toMatchObject({ verified: true })
    expectFailure(await asked('d', 'a.example'), 'challenge', 'wrong_challenge')
    expectFailure(await asked('c', 'c.example'), 'challenge', 'wrong_domain')
  })

  it('of a presentation stands over each credential in it', async () => {
    const { key } = await verifier.did()
    const [one, two] = [await credentialOf(key, suite), await credentialOf(key, other)]
    const document = await presentationOf(key, suite, { credentials: [one] })
    const exchanged = await verifier.verify({ ...document, verifiableCredential: [two] })
    expect(checkOf(exchanged, 'proof')).toMatchObject({ passed: false, reason: 'invalid_signature' })
    const changed = await verifier.verify({ ...document, verifiableCredential: [{ ...one, id: 'urn:x:1' }] })
    expect(checkOf(changed, 'proof').passed).toBe(false)
  })

  it('of a presentation holds credentials of the data model before', async () => {
    const { key } = await verifier.did()
    const older = { model: '1.1', more: { issuanceDate: timeOf(49).toISOString() } } as const
    const credentials = [await credentialOf(key, suite, older), await credentialOf(key, other, older)]
    const now = await presentationOf(key, suite, { credentials })
    expect((await verifier.verify(now)).body).toMatchObject({ verified: true })
    const before = await presentationOf(key, suite, { credentials, context: [CREDENTIALS_V1, DATA_INTEGRITY_V2] })
    expect((await verifier.verify(before)).body).toMatchObject({ verified: true })
  })
})

it('a presentation of data model 1.1 holds a credential of 2.0 where no canonical form of its contexts is needed', async () => {
  const { key } = await verifier.did()
  const shown = async (suite: IssuingSuite) => {
    const credentials = [await credentialOf(key, suite)]
    return presentationOf(key, suite, { credentials, context: [CREDENTIALS_V1, DATA_INTEGRITY_V2] })
  }
  expect((await verifier.verify(await shown(eddsaJcs2022))).body).toMatchObject({ verified: true })
  // The terms of 1.1 are protected, and 2.0 defines some of them otherwise.
  await expect(shown(eddsaRdfc2022)).rejects.toThrow(/redefine a protected term/)
  const jcs = await shown(eddsaJcs2022)
  const rdfc: JsonObject = { ...jcs.proof, cryptosuite: 'eddsa-rdfc-2022' }
  expectFailure(await verifier.verify({ ...jcs, proof: rdfc }), 'proof', 'malformed')
  const { '@context': _, ...dressed } = rdfc
  expectFailure(await verifier.verify({ ...jcs, proof: dressed }), 'proof', 'invalid_context')
})

it('a document of data model 2.0 with a date of 1.1, without its context, or with it twice is none', async () => {
  const { key } = await verifier.did()
  const good = await credentialOf(key, eddsaJcs2022)
  const { '@context': contexts, ...bare } = good
  for (const changed of [
    { ...good, issuanceDate: timeOf(49).toISOString() },
    { ...good, expirationDate: '2090-01-01T00:00:00Z' },
    bare,
    { ...bare, '@context': [...contexts, CREDENTIALS_V2] },
    { ...bare, '@context': contexts.slice(1) },
    { ...bare, '@context': [CREDENTIALS_V1, ...contexts] },
  ])
    expectFailure(await verifier.verify(changed), 'structure', 'malformed')
})
