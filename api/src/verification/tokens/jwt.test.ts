import { expect, it } from 'vitest'
import { base64UrlOf } from '../../formats/compact/base64url.js'
import type { Json, JsonObject } from '../../formats/json.js'
import { CREDENTIALS_V1, CREDENTIALS_V2 } from '../../formats/json-ld/contexts/known-contexts.js'
import { testKey } from '../../formats/json-ld/testing.js'
import { signedToken } from '../../formats/jwt/testing.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { expectFailure, TestVerifier } from '../testing.js'
import { header, id, key, payload, seconds, token, vc } from './jwt-credential.testing.js'

const verifier = forAllTests(() => TestVerifier.open())
const verify = (data: Json) => verifier().verify({ data })

it('a credential in the claims of a token verifies, bare and as data', async () => {
  const given = await token()
  expect((await verify(given)).body).toMatchObject({
    verified: true,
    results: [{ proof: { type: 'JwtProof2020', alg: 'EdDSA' }, verificationMethod: { id: key.keyId } }],
  })
  expect((await verifier().verify(given)).body.verified).toBe(true)
})

it('a token by itself is a body under the media types of tokens, and nothing may stand around it', async () => {
  const given = await token()
  const { app, team } = verifier()
  const send = async (type: string, payload: string, url = '/verify') => {
    const headers = { 'content-type': type, 'svc-api-token': team.apiKey }
    const answer = await app.inject({ method: 'POST', url, headers, payload })
    return [answer.statusCode, answer.json().verified]
  }
  for (const type of ['application/jwt', 'application/vc+jwt', 'application/dc+sd-jwt; charset=utf-8'])
    expect(await send(type, given)).toEqual([200, true])
  expect(await send('application/jwt', `${given}\n`)).toEqual([200, false])
  expect((await send('application/pdf', given))[0]).toBe(415)
})

it.each<[string, JsonObject, JsonObject]>([
  ['its issuer', {}, { issuer: key.did }],
  ['its issuer with a name', {}, { issuer: { id: key.did, name: 'University' } }],
  ['a name of its issuer alone', {}, { issuer: { name: 'University' } }],
  ['its id', {}, { id }],
  ['the id of its subject', {}, { credentialSubject: { id: 'did:example:graduate', degree: 'x' } }],
  ['its subject in a list', {}, { credentialSubject: [{ degree: 'x' }] }],
  ['its dates', {}, { issuanceDate: '2026-01-01T00:00:40.500Z', expirationDate: '2026-01-01T00:08:20Z' }],
  ['no registered claim but its issuer', { sub: undefined, jti: undefined, exp: undefined } as never, {}],
])('a credential that repeats %s in vc verifies', async (_, more, ofVc) => {
  const given = JSON.parse(JSON.stringify({ ...payload, ...more, vc: { ...vc, ...ofVc } }))
  expect((await verify(await signedToken(header(), given, key))).body).toMatchObject({ verified: true })
})

it.each<[string, JsonObject, JsonObject]>([
  ['issuer', {}, { issuer: testKey().did }],
  ['issuer in an object', {}, { issuer: { id: testKey().did } }],
  ['id', {}, { id: 'https://issuer.example/credentials/2' }],
  ['subject', {}, { credentialSubject: { id: 'did:example:other', degree: 'x' } }],
  ['subjects', {}, { credentialSubject: [{ degree: 'x' }, { degree: 'y' }] }],
  ['issuance date', {}, { issuanceDate: '2026-01-01T00:00:41Z' }],
  ['beginning of the newer data model', {}, { validFrom: '2026-01-01T00:00:41Z' }],
  ['issuance date that is none', {}, { issuanceDate: 'yesterday' }],
  ['end', {}, { expirationDate: '2027-01-01T00:00:00Z' }],
  ['issuer that is no text', { iss: { id: key.did } }, {}],
  ['issuer that is null', { iss: null }, { issuer: key.did }],
  ['id that is no text', { jti: 1 }, {}],
  ['beginning that is no number', { nbf: '40' }, {}],
  ['beginning with a fraction', { nbf: seconds(40) + 0.5 }, {}],
  ['end with a fraction', { exp: seconds(500) + 0.5 }, {}],
  ['end that is null', { exp: null }, {}],
  ['end after the year 9999', { exp: 253_402_300_800 }, {}],
  ['time of issue that is no number', { iat: '40' }, {}],
  ['audience', { aud: 'https://verifier.example' }, {}],
  ['vp beside it', { vp: {} }, {}],
  ['status beside vc', { credentialStatus: { id: 'https://issuer.example/list#1', type: 'StatusList2021Entry' } }, {}],
  ['issuer beside vc that is another one', { issuer: { id: testKey().did, name: 'University' } }, {}],
  ['issuer beside vc that is a text', { issuer: key.did }, {}],
  ['issuer both beside vc and inside', { issuer: { name: 'University' } }, { issuer: { name: 'Office' } }],
  ['end beside vc', { expirationDate: '2026-01-01T00:01:00Z' }, {}],
  ['cnf without a key', { cnf: {} }, {}],
  [
    'cnf with a private key',
    { cnf: { jwk: { kty: 'OKP', crv: 'Ed25519', x: base64UrlOf(key.publicKey), d: 'x' } } },
    {},
  ],
  ...[{ use: 'enc' }, { key_ops: ['encrypt'] }].map((made): [string, JsonObject, JsonObject] => [
    `cnf with a key made for encryption (${JSON.stringify(made)})`,
    { cnf: { jwk: { kty: 'OKP', crv: 'Ed25519', x: base64UrlOf(key.publicKey), ...made } } },
    {},
  ]),
  ['type that is none', {}, { type: ['Other'] }],
  ['proof inside', {}, { proof: { type: 'Ed25519Signature2020' } }],
  ['context that is none', {}, { '@context': ['https://example.org/other'] }],
])('a token with a contradictory or malformed %s is refused', async (_, more, ofVc) => {
  expectFailure(await verify(await token(more, ofVc)), 'structure', 'malformed')
})

it.each<[string, JsonObject, string]>([
  ['ended', { exp: seconds(99) }, 'expired'],
  ['that begins later', { nbf: seconds(103) }, 'not_yet_valid'],
  ['signed later', { iat: seconds(103) }, 'signed_later'],
])('a token %s is refused', async (_, more, reason) => {
  expectFailure(await verify(await token(more)), 'validity', reason)
})

it('a status that nobody can read is unavailable, wherever it stands', async () => {
  const status = { status_list: { idx: 1, uri: 'https://issuer.example/statuslists/1' } }
  expectFailure(await verify(await token({ status })), 'status', 'unavailable')
  const credentialStatus = { id: 'https://issuer.example/1', type: 'Unknown' }
  expectFailure(await verify(await token({}, { credentialStatus })), 'status', 'unavailable')
})

it.each<[string, string, string]>([
  ['a repeated member of the header', `{"alg":"EdDSA","alg":"none","kid":"${key.keyId}"}`, JSON.stringify(payload)],
  ['a repeated claim', JSON.stringify(header()), JSON.stringify(payload).replace('{', `{"iss":"${testKey().did}",`)],
  [
    'a repeated claim inside',
    JSON.stringify(header()),
    JSON.stringify(payload).replace('"degree"', '"degree":"x","degree"'),
  ],
  [
    'an inexact number',
    JSON.stringify(header()),
    JSON.stringify(payload).replace('"M.Sc. Physics"', '9007199254740993'),
  ],
  ['a list as payload', JSON.stringify(header()), '[]'],
  ['a payload that is no JSON', JSON.stringify(header()), '{'],
  ['bytes before the payload', JSON.stringify(header()), `\ufeff${JSON.stringify(payload)}`],
  [
    'a member that changes prototypes',
    JSON.stringify(header()),
    JSON.stringify(payload).replace('"degree"', '"__proto__"'),
  ],
])('a token with %s is refused', async (_, head, body) => {
  expectFailure(await verify(await signedToken(head, body, key)), 'structure', 'malformed')
})

it.each<[string, JsonObject, string]>([
  ['deep', { credentialSubject: nested(40) }, 'too_large'],
  [
    'full of claims',
    { credentialSubject: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`c${n}`, n])) },
    'too_large',
  ],
  ['large', { credentialSubject: { text: 'x'.repeat(70_000) } }, 'too_large'],
])('a token that is too %s is refused', async (_, ofVc, reason) => {
  expectFailure(await verify(await token({}, ofVc)), 'structure', reason)
})

function nested(depth: number): JsonObject {
  return depth === 0 ? {} : { a: nested(depth - 1) }
}

/** A credential of data model 2.0 is the payload. */
const whole: JsonObject = {
  '@context': [CREDENTIALS_V2],
  type: ['VerifiableCredential'],
  id,
  issuer: key.did,
  validFrom: '2026-01-01T00:00:40Z',
  credentialSubject: { id: 'did:example:graduate', name: 'Ada' },
}
const ofNewerModel = (more: JsonObject = {}, head: JsonObject = {}) =>
  signedToken({ ...header(), typ: 'vc+jwt', ...head }, { ...whole, ...more }, key)

it('a credential of data model 2.0 as the payload of a token verifies', async () => {
  for (const typ of ['vc+jwt', 'application/vc+jwt', 'JWT'])
    expect((await verify(await ofNewerModel({}, { typ }))).body).toMatchObject({ verified: true })
  const same = {
    iss: key.did,
    jti: id,
    sub: 'did:example:graduate',
    iat: seconds(50),
    nbf: seconds(40),
    exp: seconds(200),
  }
  expect((await verify(await ofNewerModel(same))).body).toMatchObject({ verified: true })
})

it.each<[string, JsonObject, string, string]>([
  ['another issuer', { iss: testKey().did }, 'structure', 'malformed'],
  ['another id', { jti: 'urn:other' }, 'structure', 'malformed'],
  ['another subject', { sub: 'did:example:other' }, 'structure', 'malformed'],
  ['an audience', { aud: 'somebody' }, 'structure', 'malformed'],
  ['an end of its signature', { exp: seconds(90) }, 'validity', 'expired'],
  ['a later beginning of its signature', { nbf: seconds(103) }, 'validity', 'not_yet_valid'],
  ['an end', { validUntil: '2026-01-01T00:01:00Z' }, 'validity', 'expired'],
  ['a status that nobody can read', { status: { status_list: {} } }, 'status', 'malformed'],
  ['the older data model', { '@context': [CREDENTIALS_V1] }, 'structure', 'malformed'],
])('a credential of data model 2.0 in a token with %s is refused', async (_, more, check, reason) => {
  expectFailure(await verify(await ofNewerModel(more)), check, reason)
})
