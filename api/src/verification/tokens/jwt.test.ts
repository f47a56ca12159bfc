import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { encodeBase58 } from '@accredit/chain'
import { beforeAll, expect, it } from 'vitest'
import { base64UrlOf } from '../../formats/compact/base64url.js'
import type { Json, JsonObject } from '../../formats/json.js'
import { CREDENTIALS_V1, CREDENTIALS_V2 } from '../../formats/json-ld/contexts/known-contexts.js'
import { type TestKey, testKey } from '../../formats/json-ld/testing.js'
import { signedToken } from '../../formats/jwt/testing.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { credential, expectFailure, presentation, TestVerifier, timeOf } from '../testing.js'

const verifier = forAllTests(() => TestVerifier.open())
const key = testKey()
const seconds = (block: number): number => Math.floor(timeOf(block).getTime() / 1000)

const header = (of: TestKey = key): JsonObject => ({ alg: 'EdDSA', typ: 'JWT', kid: of.keyId })
const id = 'https://issuer.example/credentials/1'
const vc: JsonObject = {
  '@context': [CREDENTIALS_V1],
  type: ['VerifiableCredential', 'UniversityDegreeCredential'],
  credentialSubject: { degree: 'M.Sc. Physics' },
}
const payload: JsonObject = {
  iss: key.did,
  sub: 'did:example:graduate',
  jti: id,
  nbf: seconds(40),
  exp: seconds(500),
  vc,
}
/** A credential with other members of the payload, and of `vc`. */
const token = (more: JsonObject = {}, ofVc: JsonObject = {}, by = key) =>
  signedToken(header(), { ...payload, ...more, vc: { ...vc, ...ofVc } }, by)
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

it.each<[string, JsonObject, string, string]>([
  ['without algorithm', { alg: undefined } as never, 'structure', 'malformed'],
  ['with the algorithm none', { alg: 'none' }, 'proof', 'unsupported_proof'],
  ['with the algorithm None', { alg: 'None' }, 'proof', 'unsupported_proof'],
  ['with crit', { crit: ['exp'] }, 'structure', 'malformed'],
  ['with an empty crit', { crit: [] }, 'structure', 'malformed'],
  ['with b64', { b64: true }, 'structure', 'malformed'],
  ['that is compressed', { zip: 'DEF' }, 'structure', 'malformed'],
  ['of the type of a key binding', { typ: 'kb+jwt' }, 'structure', 'malformed'],
  ['of the type of an SD-JWT', { typ: 'dc+sd-jwt' }, 'structure', 'malformed'],
  ['of the type of a presentation', { typ: 'vp+jwt' }, 'structure', 'malformed'],
  ['of the type of an access token', { typ: 'at+jwt' }, 'structure', 'malformed'],
  ['of a type that is no text', { typ: 1 }, 'structure', 'malformed'],
  ['of another key', { kid: testKey().keyId }, 'issuerKey', 'not_the_issuer'],
  ['of a key without a DID', { kid: 'key-1' }, 'issuerKey', 'not_the_issuer'],
  ['of another fragment', { kid: '#key-1' }, 'issuerKey', 'key_not_found'],
  ['of a key that is no text', { kid: 1 }, 'structure', 'malformed'],
  ['with another algorithm than the key has', { alg: 'ES256' }, 'issuerKey', 'key_type_not_supported'],
])('a token %s is refused', async (_, more, check, reason) => {
  const given = await signedToken(JSON.parse(JSON.stringify({ ...header(), ...more })), payload, key)
  expectFailure(await verify(given), check, reason)
})

it('a key inside the header is not looked at', async () => {
  const stranger = testKey()
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: base64UrlOf(stranger.publicKey) }
  const given = await signedToken({ ...header(), jwk }, payload, stranger)
  expectFailure(await verify(given), 'proof', 'invalid_signature')
})

it('of a DID with one key, the key may go unnamed or be named by its fragment', async () => {
  for (const kid of [undefined, `#${key.multibase}`]) {
    const given = await signedToken(JSON.parse(JSON.stringify({ ...header(), kid })), payload, key)
    expect((await verify(given)).body.verified).toBe(true)
  }
})

it('a public key is no secret: a token authenticated with it is refused', async () => {
  for (const secret of [key.publicKey, Buffer.from(key.multibase)]) {
    const signed = [{ ...header(), alg: 'HS256' }, payload].map((part) => base64UrlOf(JSON.stringify(part))).join('.')
    const given = `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
    expectFailure(await verify(given), 'proof', 'unsupported_proof')
  }
})

it('a changed character, a missing signature and one of another key are refused', async () => {
  const [head = '', body = '', signature = ''] = (await token()).split('.')
  const other = base64UrlOf(JSON.stringify({ ...payload, vc: { ...vc, credentialSubject: { degree: 'PhD' } } }))
  for (const given of [`${head}.${other}.${signature}`, `${head}.${body}.`, await token({}, {}, testKey())])
    expectFailure(await verify(given), 'proof', 'invalid_signature')
})

it.each<[string, (parts: [string, string, string]) => Json]>([
  ['padding', ([head, body, signature]) => `${head}.${body}.${signature}==`],
  ['bits beyond the signature', ([head, body, signature]) => `${head}.${body}.${withStrayBits(signature)}`],
  ['characters of base64', ([head, body, signature]) => `${head}.${body}.${signature.slice(0, -1)}+`],
  ['a space before it', (parts) => ` ${parts.join('.')}`],
  ['a line break after it', (parts) => `${parts.join('.')}\n`],
  ['a word before it', (parts) => `Bearer ${parts.join('.')}`],
  ['a fourth part', (parts) => `${parts.join('.')}.x`],
  ['two parts', ([head, body]) => `${head}.${body}`],
  ['quotes', (parts) => `"${parts.join('.')}"`],
  ['two signatures', ([head, body, signature]) => ({ payload: body, signatures: [{ protected: head, signature }] })],
  ['the form of an object', ([head, body, signature]) => ({ payload: body, protected: head, signature })],
])('a token with %s is refused', async (_, change) => {
  const [head = '', body = '', signature = ''] = (await token()).split('.')
  expectFailure(await verify(change([head, body, signature])), 'structure', 'malformed')
})

/** The same bytes in another text: the last character of 86 has four bits that stand for nothing. */
function withStrayBits(signature: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const changed = signature.slice(0, -1) + letters[letters.indexOf(signature.at(-1) ?? '') + 1]
  expect(Buffer.from(changed, 'base64url')).toEqual(Buffer.from(signature, 'base64url'))
  return changed
}

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

const es256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const signEs256 = {
  sign: async (bytes: Uint8Array) =>
    new Uint8Array(sign('sha256', bytes, { key: es256.privateKey, dsaEncoding: 'ieee-p1363' })),
}

it('a token that an ES256 key signed verifies, and not with its DER form', async () => {
  const jwk = es256.publicKey.export({ format: 'jwk' })
  const did = `did:jwk:${base64UrlOf(JSON.stringify(jwk))}`
  const head = { alg: 'ES256', typ: 'JWT', kid: `${did}#0` }
  const claims = { ...payload, iss: did }
  expect((await verify(await signedToken(head, claims, signEs256))).body).toMatchObject({ verified: true })
  const der = { sign: async (bytes: Uint8Array) => new Uint8Array(sign('sha256', bytes, es256.privateKey)) }
  expectFailure(await verify(await signedToken(head, claims, der)), 'proof', 'invalid_signature')
  const asEdDsa = await signedToken({ ...head, alg: 'EdDSA' }, claims, signEs256)
  expectFailure(await verify(asEdDsa), 'issuerKey', 'key_type_not_supported')
})

it('a did:key of P-256 signs as issuer and as holder, under its one name', async () => {
  const jwk = es256.publicKey.export({ format: 'jwk' })
  const [x, y] = [jwk.x, jwk.y].map((one) => Buffer.from(one ?? '', 'base64url'))
  const multibase = `z${encodeBase58(Uint8Array.from([0x80, 0x24, 2 + ((y?.[31] ?? 0) & 1), ...(x ?? [])]))}`
  const did = `did:key:${multibase}`
  const head = { alg: 'ES256', typ: 'JWT', kid: `${did}#${multibase}` }
  const own = await signedToken(head, { ...payload, iss: did, sub: did }, signEs256)
  const shown = { iss: did, nonce: 'n-1', aud: 'verifier.example', vp: { ...vp, verifiableCredential: [own] } }
  const data = await signedToken(head, shown, signEs256)
  const question = { data, challenge: 'n-1', require: ['holder', 'holderBinding'] }
  expect((await verifier().verify(question)).body).toMatchObject({ verified: true })
  const other = await signedToken({ ...head, kid: `${did}#0` }, { ...payload, iss: did }, signEs256)
  expectFailure(await verify(other), 'issuerKey', 'key_not_found')
})

it('a token with a long header is refused', async () => {
  const given = await signedToken({ ...header(), x: 'y'.repeat(20_000) }, payload, key)
  expectFailure(await verify(given), 'structure', 'too_large')
})

it('a token that a secp256k1 key signed verifies, and its algorithm is called deprecated', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  const did = `did:jwk:${base64UrlOf(JSON.stringify(publicKey.export({ format: 'jwk' })))}`
  const by = {
    sign: async (bytes: Uint8Array) =>
      new Uint8Array(sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' })),
  }
  const given = await signedToken({ alg: 'ES256K', typ: 'JWT', kid: `${did}#0` }, { ...payload, iss: did }, by)
  const { body } = await verify(given)
  expect(body.verified).toBe(true)
  expect(body.warnings).toEqual(['tokens signed with ES256K are deprecated'])
})
