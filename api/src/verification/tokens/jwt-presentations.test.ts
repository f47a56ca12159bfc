import { beforeAll, expect, it } from 'vitest'
import { base64UrlOf } from '../../formats/compact/base64url.js'
import type { Json, JsonObject } from '../../formats/json.js'
import { CREDENTIALS_V1, CREDENTIALS_V2 } from '../../formats/json-ld/contexts/known-contexts.js'
import { testKey } from '../../formats/json-ld/testing.js'
import { signedToken } from '../../formats/jwt/testing.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { credential, expectFailure, presentation, TestVerifier, timeOf } from '../testing.js'
import { header, seconds, token } from './jwt-credential.testing.js'

const verifier = forAllTests(() => TestVerifier.open())
const verify = (data: Json) => verifier().verify({ data })

const vp: JsonObject = { '@context': [CREDENTIALS_V1], type: ['VerifiablePresentation'] }
const holder = testKey()

async function presented(credentials: Json, more: JsonObject = {}, ofVp: JsonObject = {}, by = holder) {
  const claims = { iss: holder.did, nonce: 'n-1', aud: 'verifier.example', iat: seconds(60), ...more }
  return signedToken(header(holder), { ...claims, vp: { ...vp, verifiableCredential: credentials, ...ofVp } }, by)
}

const asked = { challenge: 'n-1', domain: 'verifier.example' }
let jwtCredential: string
let jsonLdCredential: JsonObject
beforeAll(async () => {
  jwtCredential = await token()
  jsonLdCredential = await credential(testKey())
})

it('a presentation holds credentials of any format, and answers one question', async () => {
  const given = await presented([jwtCredential, jsonLdCredential])
  const answer = await verifier().verify({ data: given, ...asked, require: ['holder', 'challenge'] })
  expect(answer.body).toMatchObject({ verified: true, results: [{ verified: true }, { verified: true }, {}] })
  expectFailure(await verifier().verify({ data: given, ...asked, challenge: 'n-2' }), 'challenge', 'wrong_challenge')
  expectFailure(await verifier().verify({ data: given, ...asked, domain: 'other' }), 'challenge', 'wrong_domain')
  const several = await presented(jwtCredential, { aud: ['other', 'verifier.example'] })
  expect((await verifier().verify({ data: several, ...asked })).body.verified).toBe(true)
})

it('a presentation binds a credential to the subject that signed it', async () => {
  const own = await token({ sub: holder.did })
  const question = { ...asked, require: ['holderBinding'] }
  expect((await verifier().verify({ data: await presented(own), ...question })).body.verified).toBe(true)
  const strangers = await presented(jwtCredential)
  expectFailure(await verifier().verify({ data: strangers, ...question }), 'holderBinding', 'other_subject')
})

it('a credential for the key of a holder is presented with that key only', async () => {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: base64UrlOf(holder.publicKey) }
  const bound = await token({ cnf: { kid: holder.keyId } })
  expect((await verify(await presented(bound))).body.verified).toBe(true)
  const toAnother = await token({ cnf: { kid: testKey().keyId } })
  expectFailure(await verify(await presented(toAnother)), 'holder', 'other_holder')
  expectFailure(await verify(await presented(await token({ cnf: { jwk } }))), 'holder', 'other_holder')
})

it.each<[string, () => Promise<string>, string, string]>([
  ['of another holder', () => presented(jwtCredential, {}, { holder: testKey().did }), 'structure', 'malformed'],
  ['of nobody', () => presented(jwtCredential, { iss: null }), 'structure', 'malformed'],
  ['without a credential', () => presented([]), 'structure', 'malformed'],
  ['with a status', () => presented(jwtCredential, {}, { credentialStatus: {} }), 'structure', 'malformed'],
  ['with too many credentials', () => presented(Array(33).fill('x')), 'structure', 'too_large'],
  ['with another id', () => presented(jwtCredential, { jti: 'urn:a' }, { id: 'urn:b' }), 'structure', 'malformed'],
  ['signed by another key', () => presented(jwtCredential, {}, {}, testKey()), 'holder', 'invalid_signature'],
  ['that ended', () => presented(jwtCredential, { exp: seconds(90) }), 'validity', 'expired'],
  ...(['expirationDate', 'validUntil'] as const).map((name): [string, () => Promise<string>, string, string] => [
    `whose ${name} is over`,
    () => presented(jwtCredential, {}, { [name]: timeOf(90).toISOString() }),
    'validity',
    'expired',
  ]),
  ['with a token that is none', () => presented('x.y.z'), 'structure', 'malformed'],
  ['with a presentation inside', async () => presented(await presented(jwtCredential)), 'structure', 'malformed'],
])('a presentation %s is refused', async (_, make, check, reason) => {
  expectFailure(await verify(await make()), check, reason)
})

/** A JSON-LD presentation of data model 2.0 holds a token in a document that says nothing else. */
const enveloped = (of: string, more: JsonObject = {}): JsonObject => ({
  '@context': CREDENTIALS_V2,
  type: 'EnvelopedVerifiableCredential',
  id: `data:application/vc+jwt,${of}`,
  ...more,
})

it('a token in a document that says nothing else verifies as that token', async () => {
  expect((await verify(enveloped(jwtCredential))).body.verified).toBe(true)
  expect((await verify(await presented([enveloped(jwtCredential)]))).body.verified).toBe(true)
  expectFailure(await verify(enveloped(await token({ exp: seconds(90) }))), 'validity', 'expired')
})

it('a JSON-LD presentation holds tokens in such documents, and its proof stands over them', async () => {
  const more = { '@context': [CREDENTIALS_V2, 'https://w3id.org/security/suites/ed25519-2020/v1'] }
  const given = await presentation(holder, [enveloped(jwtCredential)], { ...asked, more })
  expect((await verifier().verify({ data: given, ...asked })).body).toMatchObject({ verified: true })
  const swapped = { ...given, verifiableCredential: [enveloped(await token({ jti: 'urn:other' }))] }
  expectFailure(await verify(swapped), 'proof', 'invalid_signature')
})

it('the proof of a JSON-LD presentation does not stand over a bare token, so that none is made or verified', async () => {
  await expect(presentation(holder, [jwtCredential])).rejects.toThrow(/only @id/)
  const given = await presentation(holder, [jsonLdCredential])
  expectFailure(await verify({ ...given, verifiableCredential: [jwtCredential] }), 'structure', 'malformed')
})

it.each<[string, JsonObject]>([
  ['a claim beside it', { credentialSubject: { degree: 'PhD' } }],
  ['two types of this kind', { type: ['EnvelopedVerifiableCredential', 'EnvelopedVerifiablePresentation'] }],
  ['a type of its own', { type: ['EnvelopedVerifiableCredential', 'MedicalDegree'] }],
  ['no token', { id: 'https://issuer.example/1' }],
  ['the label of another format', { id: 'data:application/dc+sd-jwt,a.b.c' }],
  ['the label of a presentation', { id: 'data:application/vp+jwt,a.b.c' }],
])('a document that holds a token with %s is refused', async (_, more) => {
  expectFailure(await verify(enveloped(jwtCredential, more)), 'structure', 'malformed')
})

it('a credential is no presentation, and none a credential, whatever the document says that holds it', async () => {
  const [credential, shown] = [jwtCredential, await presented(jwtCredential)].map((of) => `data:application/jwt,${of}`)
  const type = 'EnvelopedVerifiablePresentation'
  expectFailure(await verify(enveloped('', { type, id: credential ?? '' })), 'structure', 'malformed')
  expectFailure(await verify(enveloped('', { id: shown ?? '' })), 'structure', 'malformed')
  expect((await verify(enveloped('', { type, id: shown ?? '' }))).body.verified).toBe(true)
})
