import { generateKeyPairSync } from 'node:crypto'
import { encodeBase58, schemaId } from '@accredit/chain'
import { beforeEach, expect, it } from 'vitest'
import { base64UrlOf } from '../../formats/compact/base64url.js'
import type { Json, JsonObject } from '../../formats/json.js'
import { CREDENTIALS_V1 } from '../../formats/json-ld/contexts/known-contexts.js'
import { testKey } from '../../formats/json-ld/testing.js'
import { signedToken } from '../../formats/jwt/testing.js'
import { FetchRefused } from '../../platform/security/guarded-fetch.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { requestAs } from '../../platform/testing/request-as.js'
import { testTeam } from '../../platform/testing/scratch-database.js'
import { checkOf, credential, expectFailure, hex32, presentation, TestVerifier, timeOf } from '../testing.js'

/** The documents that stand on the web, by address. */
const web = new Map<string, Json | Error>()
const fetched: string[] = []
/** The document of a host that takes its time. */
let slow: Promise<Json> | undefined

const verifier = forAllTests(() =>
  TestVerifier.open([], {
    guardedFetch: async (url: string) => {
      fetched.push(url)
      const found = (await slow) ?? web.get(url)
      if (found instanceof Error) throw found
      if (found === undefined) throw new FetchRefused('it answered 404')
      return Buffer.from(typeof found === 'string' ? found : JSON.stringify(found))
    },
  }),
)

const key = testKey()
let count = 0
let did = ''
let url = ''
beforeEach(() => {
  count += 1
  did = `did:web:issuer.example:${count}`
  url = `https://issuer.example/${count}/did.json`
  fetched.length = 0
})

const method = (more: JsonObject = {}): JsonObject => ({
  id: `${did}#key-1`,
  type: 'Multikey',
  controller: did,
  publicKeyMultibase: key.multibase,
  ...more,
})
const document = (more: JsonObject = {}, ofMethod: JsonObject = {}): JsonObject => ({
  '@context': 'https://www.w3.org/ns/did/v1',
  id: did,
  verificationMethod: [method(ofMethod)],
  assertionMethod: [`${did}#key-1`],
  authentication: ['#key-1'],
  ...more,
})

const token = (more: JsonObject = {}) =>
  signedToken(
    { alg: 'EdDSA', typ: 'JWT', kid: `${did}#key-1` },
    {
      iss: did,
      nbf: Math.floor(timeOf(50).getTime() / 1000),
      vc: { '@context': [CREDENTIALS_V1], type: ['VerifiableCredential'], credentialSubject: { id: did, name: 'Ada' } },
      ...more,
    },
    key,
  )
const verify = async (more: JsonObject = {}) => verifier().verify({ data: await token(), ...more })

it('an issuer of did:web is known by its document, which is fetched once a minute', async () => {
  web.set(url, document())
  expect((await verify()).body).toMatchObject({
    verified: true,
    results: [{ verificationMethod: { controller: did } }],
  })
  await verify()
  expect(fetched).toEqual([url])
  verifier().later.seconds = 61
  await verify()
  verifier().later.seconds = 0
  expect(fetched).toEqual([url, url])
})

it('its key may stand in the document in any form, and only there where it serves', async () => {
  const x = base64UrlOf(key.publicKey)
  for (const form of [
    { type: 'JsonWebKey2020', publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x } },
    { type: 'Ed25519VerificationKey2018', publicKeyBase58: encodeBase58(key.publicKey) },
    { type: 'Ed25519VerificationKey2020', publicKeyMultibase: key.multibase },
    { id: '#key-1', publicKeyMultibase: key.multibase },
  ]) {
    count += 1
    did = `did:web:issuer.example:${count}`
    const { publicKeyMultibase: _, ...bare } = method()
    const own: JsonObject = { ...bare, ...(form as JsonObject) }
    web.set(`https://issuer.example/${count}/did.json`, { ...document(), verificationMethod: [own] })
    expect((await verify()).body).toMatchObject({ verified: true })
  }
  count += 1
  did = `did:web:issuer.example:${count}`
  web.set(`https://issuer.example/${count}/did.json`, { id: did, assertionMethod: [method()] })
  expect((await verify()).body).toMatchObject({ verified: true })
})

it('a JSON-LD credential and presentation of a did:web verify, and bind to it', async () => {
  web.set(url, document())
  const by = { ...key, did, keyId: `${did}#key-1` }
  const given = await presentation(by, [
    await credential(by, { more: { credentialSubject: { id: did, name: 'Ada' } } }),
  ])
  const question = { data: given, require: ['holder', 'holderBinding'] }
  expect((await verifier().verify(question)).body).toMatchObject({ verified: true })
})

it.each<[string, () => Json | Error, string]>([
  ['that is of another DID', () => document({ id: 'did:web:other.example' }), 'unavailable'],
  ['without the key', () => document({ verificationMethod: [] }), 'key_not_found'],
  ['with two keys of that name', () => document({ publicKey: [method()] }), 'key_not_found'],
  ['whose key has another controller', () => document({}, { controller: 'did:web:other.example' }), 'key_not_found'],
  ['whose key is revoked', () => document({}, { revoked: '2026-01-01T00:00:00Z' }), 'key_not_found'],
  ['whose key has an end', () => document({}, { expires: '2036-01-01T00:00:00Z' }), 'key_not_found'],
  ['whose key has two forms', () => document({}, { publicKeyBase58: encodeBase58(key.publicKey) }), 'key_not_found'],
  [
    'whose key is of a kind not known here',
    () => document({}, { publicKeyMultibase: 'z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc' }),
    'key_not_found',
  ],
  ['whose key is for something else', () => document({ assertionMethod: [] }), 'wrong_relationship'],
  ['that is no JSON', () => '<html>', 'unavailable'],
  ['that repeats a member', () => '{"id":"a","id":"b"}', 'unavailable'],
  ['that is a list', () => [], 'unavailable'],
  ['that is not there', () => new FetchRefused('it answered 404'), 'unavailable'],
])('a document %s verifies nothing', async (_, make, reason) => {
  web.set(url, make())
  expectFailure(await verify(), 'issuerKey', reason)
})

it('the key of another document is not the one that signed', async () => {
  web.set(url, document({}, { publicKeyMultibase: testKey().multibase }))
  expectFailure(await verify(), 'proof', 'invalid_signature')
})

it('a failure is not asked again for ten seconds, and then it is', async () => {
  await verify()
  web.set(url, document())
  verifier().later.seconds = 9.999
  expect((await verify()).body.verified).toBe(false)
  expect(fetched).toEqual([url])
  verifier().later.seconds = 10
  expect((await verify()).body).toMatchObject({ verified: true })
  verifier().later.seconds = 0
  expect(fetched).toEqual([url, url])
})

it('nobody waits for a document that another team has begun to fetch', async () => {
  let answer: (value: Json) => void = () => undefined
  web.set(url, document())
  slow = new Promise<Json>((resolve) => {
    answer = resolve
  })
  const begun = verify()
  await expect.poll(() => fetched).toEqual([url])
  slow = undefined
  const other = await testTeam(verifier().environment.db)
  const asked = await requestAs(verifier().app, other, 'POST', '/verify', JSON.stringify({ data: await token() }))
  expect(asked.json()).toMatchObject({ verified: true })
  answer(document())
  expect((await begun).body).toMatchObject({ verified: true })
})

it('nobody knows what stood in a document before it was seen', async () => {
  web.set(url, document())
  const past = await verify({ at: 60 })
  expectFailure(past, 'issuerKey', 'unavailable')
  expect(checkOf(await verify({ at: 100 }), 'issuerKey')).toMatchObject({ passed: true })
})

it('an address, a user and a step upwards are not asked', async () => {
  for (const one of ['did:web:127.0.0.1', 'did:web:user%40evil.example', 'did:web:issuer.example:..:x']) {
    did = one
    expectFailure(await verify(), 'issuerKey', 'unavailable')
  }
  expect(fetched).toEqual([])
})

it('an issuer of another method is authorised where a registry lists its very text, until it is suspended', async () => {
  const { ledger } = verifier()
  const schema = `https://schemas.example/${count}.json`
  const [registry_id, schema_id] = [hex32(0xe000 + count), schemaId(schema)]
  const texts = { convener: 'did:svc:x', pending_convener: null, name: 'R', gov_framework: '', version: 1 }
  await ledger.row('trust_registry', { registry_id, ...texts, from_block: 5, to_block: null })
  await ledger.row('registry_schema', { registry_id, schema_id, is_public: false, from_block: 6, to_block: null })
  const ofJwk = didJwk(jwk)
  for (const listed of [did, ofJwk])
    await ledger.row('issuer', { registry_id, schema_id, did: listed, prices: {}, from_block: 20, to_block: null })
  await ledger.row('suspension', { registry_id, did, from_block: 70, to_block: null })
  web.set(url, document())
  const vc = {
    '@context': [CREDENTIALS_V1],
    type: ['VerifiableCredential'],
    credentialSchema: { id: schema, type: 'JsonSchemaValidator2018' },
    credentialSubject: { name: 'Ada' },
  }
  const nbf = Math.floor(timeOf(50).getTime() / 1000)
  const asked = async (issuer: string, kid: string, at?: number) => {
    const data = await signedToken({ alg: 'EdDSA', typ: 'JWT', kid }, { iss: issuer, nbf, vc }, key)
    const point = at === undefined ? {} : { at }
    return checkOf(await verifier().verify({ data, trustRegistryId: registry_id, ...point }), 'issuerAuthorised')
  }
  expect(await asked(did, `${did}#key-1`, 69)).toMatchObject({ passed: true, reason: 'direct' })
  expect(await asked(did, `${did}#key-1`)).toMatchObject({ passed: false, reason: 'suspended' })
  expect(await asked(ofJwk, `${ofJwk}#0`)).toMatchObject({ passed: true, reason: 'direct' })
  expect(await asked(`${did}:other`, `${did}:other#key-1`)).toMatchObject({ passed: false, reason: 'not_listed' })
})

const jwk = { kty: 'OKP', crv: 'Ed25519', x: base64UrlOf(key.publicKey) }
const didJwk = (of: object): string => `did:jwk:${base64UrlOf(JSON.stringify(of))}`

it('an issuer of did:jwk is known by itself, at any time', async () => {
  for (const of of [jwk, { ...jwk, use: 'sig', alg: 'EdDSA' }]) {
    did = didJwk(of)
    const given = (await token()).split('.')
    const data = await signedToken(
      { alg: 'EdDSA', kid: `${did}#0` },
      JSON.parse(Buffer.from(given[1] ?? '', 'base64url').toString()),
      key,
    )
    expect((await verifier().verify({ data })).body).toMatchObject({ verified: true })
    expect((await verifier().verify({ data, at: 60 })).body).toMatchObject({ verified: true })
  }
})

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })

it.each<[string, () => string, string, string]>([
  ['of another fragment', () => `${didJwk(jwk)}#1`, 'issuerKey', 'key_not_found'],
  ['that encrypts', () => `${didJwk({ ...jwk, use: 'enc' })}#0`, 'issuerKey', 'wrong_relationship'],
  ['that derives', () => `${didJwk({ ...jwk, key_ops: ['deriveBits'] })}#0`, 'issuerKey', 'wrong_relationship'],
  ['that is private', () => `${didJwk({ ...jwk, d: 'AAAA' })}#0`, 'issuerKey', 'did_not_found'],
  ['of another kind', () => `${didJwk(rsa)}#0`, 'issuerKey', 'did_not_found'],
  ['that is too short', () => `${didJwk({ ...jwk, x: 'AAAA' })}#0`, 'issuerKey', 'did_not_found'],
  ['off its curve', () => `${didJwk({ kty: 'EC', crv: 'P-256', x: jwk.x, y: jwk.x })}#0`, 'issuerKey', 'did_not_found'],
  ['that is no JSON', () => 'did:jwk:AAAA#0', 'issuerKey', 'did_not_found'],
  ['with padding', () => `${didJwk(jwk)}=#0`, 'issuerKey', 'did_not_found'],
])('a did:jwk %s verifies nothing', async (_, keyId, check, reason) => {
  const iss = keyId().split('#')[0] ?? ''
  const payload = JSON.parse(Buffer.from((await token()).split('.')[1] ?? '', 'base64url').toString())
  const data = await signedToken({ alg: 'EdDSA', kid: keyId() }, { ...payload, iss }, key)
  expectFailure(await verifier().verify({ data }), check, reason)
})
