import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { encodeBase58 } from '@accredit/chain'
import { expect, it } from 'vitest'
import { base64UrlOf } from '../../formats/compact/base64url.js'
import type { Json, JsonObject } from '../../formats/json.js'
import { CREDENTIALS_V1 } from '../../formats/json-ld/contexts/known-contexts.js'
import { testKey } from '../../formats/json-ld/testing.js'
import { signedToken } from '../../formats/jwt/testing.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { expectFailure, TestVerifier } from '../testing.js'
import { header, key, payload, token, vc } from './jwt-credential.testing.js'

const verifier = forAllTests(() => TestVerifier.open())
const verify = (data: Json) => verifier().verify({ data })

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
  const shown = {
    iss: did,
    nonce: 'n-1',
    aud: 'verifier.example',
    vp: { '@context': [CREDENTIALS_V1], type: ['VerifiablePresentation'], verifiableCredential: [own] },
  }
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
