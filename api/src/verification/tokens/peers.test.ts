import { createHash, generateKeyPairSync, randomBytes, verify as verifyBytes } from 'node:crypto'
import { DidJwkDriver } from '@digitalbazaar/did-method-jwk'
import { issueSDJWT, verifySDJWT } from '@meeco/sd-jwt'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import * as didkit from '@spruceid/didkit-wasm-node'
import {
  createVerifiableCredentialJwt,
  createVerifiablePresentationJwt,
  verifyCredential,
  verifyPresentation,
} from 'did-jwt-vc'
import { expect, it } from 'vitest'
import { didJwkKey } from '../../dids/foreign/did-jwk.js'
import { documentKey } from '../../dids/foreign/document-key.js'
import { base64UrlOf } from '../../formats/compact/base64url.js'
import type { CredentialFormat, CredentialParts } from '../../formats/credential-format.js'
import type { Json, JsonObject } from '../../formats/json.js'
import { CREDENTIALS_V1 } from '../../formats/json-ld/contexts/known-contexts.js'
import { type TestKey, testKey } from '../../formats/json-ld/testing.js'
import { jwt } from '../../formats/jwt/index.js'
import { sdJwt, sdJwtOfOlderType } from '../../formats/sd-jwt/index.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { TestVerifier, timeOf } from '../testing.js'

// Software of others, offline: did-jwt-vc, didkit, @sd-jwt/sd-jwt-vc and @meeco/sd-jwt verify what we issue, and the
// other way round.

const verifier = forAllTests(() => TestVerifier.open())
const verified = async (data: Json, more: JsonObject = {}): Promise<boolean> =>
  (await verifier().verify({ data, ...more })).body.verified

const [key, holder] = [testKey(), testKey()]
const seconds = (block: number): number => Math.floor(timeOf(block).getTime() / 1000)
const jwkOf = (of: TestKey) => ({ kty: 'OKP', crv: 'Ed25519', x: base64UrlOf(of.publicKey) })

const notNeeded = () => Promise.reject(new Error('tokens need nothing of this'))
const tools = {
  random: (length: number) => randomBytes(length),
  hashWith: notNeeded,
  canonicalWith: notNeeded,
  bbs: { messages: notNeeded, isSignature: notNeeded, isSignature2020: notNeeded, keyedProofs: notNeeded },
  babyJubJub: { isSignature: notNeeded },
}

/** A credential of a format, signed without a service. */
async function issued(format: CredentialFormat, more: Partial<CredentialParts> = {}): Promise<string> {
  const [algorithm] = format.algorithms
  if (algorithm === undefined) throw new Error('it has no algorithm')
  const draft = format.build({
    id: 'urn:uuid:3a4b5c6d-0000-4000-8000-000000000001',
    types: ['Degree'],
    subject: { id: holder.did, degree: 'M.Sc. Physics', address: { city: 'Łódź', street: 'Main' }, langs: ['pl'] },
    issuer: { did: key.did, members: undefined },
    profile: { name: 'University', description: '', logo: '' },
    contexts: [],
    schema: undefined,
    statuses: [],
    statusContexts: [],
    issuanceDate: '2026-01-01T00:00:00Z',
    expirationDate: '2096-01-01T00:00:00Z',
    others: {},
    extraContexts: new Map(),
    algorithm,
    verificationMethod: key.keyId,
    created: timeOf(50).toISOString(),
    ...more,
  })
  const { messages, finish } = await draft.toSign(tools)
  return String(await finish(await Promise.all(messages.map(key.sign))))
}

/** Resolves did:key for software that asks a resolver. */
const resolver = {
  resolve: async (did: string) => {
    const id = `${did}#${did.slice('did:key:'.length)}`
    const method = { id, type: 'Ed25519VerificationKey2020', controller: did, publicKeyMultibase: did.slice(8) }
    const didDocument = { id: did, verificationMethod: [method], assertionMethod: [id], authentication: [id] }
    return { didDocument, didResolutionMetadata: {}, didDocumentMetadata: {} }
  },
}

const signerOf = (of: TestKey) => ({
  did: of.did,
  alg: 'EdDSA',
  signer: async (data: string | Uint8Array) => base64UrlOf(await of.sign(Buffer.from(data))),
})

it('did-jwt-vc verifies our VC-JWT, and reads the same credential out of it, but for the name of its issuer', async () => {
  const { verifiableCredential } = await verifyCredential(await issued(jwt), resolver)
  expect(verifiableCredential).toMatchObject({
    id: 'urn:uuid:3a4b5c6d-0000-4000-8000-000000000001',
    type: ['VerifiableCredential', 'Degree'],
    issuer: { id: key.did },
    credentialSubject: { id: holder.did, degree: 'M.Sc. Physics' },
    expirationDate: expect.stringContaining('2096-01-01'),
  })
})

const theirs = {
  '@context': [CREDENTIALS_V1],
  type: ['VerifiableCredential', 'Degree'],
  issuer: { id: key.did, name: 'University' },
  issuanceDate: '2026-01-01T00:00:00Z',
  expirationDate: '2096-01-01T00:00:00Z',
  id: 'https://issuer.example/credentials/1',
  credentialSubject: { id: holder.did, degree: { type: 'Master', name: 'Physics' } },
}

it('we verify credentials and presentations of did-jwt-vc', async () => {
  const credential = await createVerifiableCredentialJwt(theirs, signerOf(key))
  expect(await verified(credential)).toBe(true)
  const options = { challenge: 'n-1', domain: 'verifier.example' }
  const presentation = {
    '@context': [CREDENTIALS_V1],
    type: ['VerifiablePresentation'],
    holder: holder.did,
    verifiableCredential: [credential, await issued(jwt)],
  }
  const token = await createVerifiablePresentationJwt(presentation, signerOf(holder), options)
  expect(await verifyPresentation(token, resolver, { ...options, audience: 'verifier.example' })).toMatchObject({
    verified: true,
  })
  expect(await verified(token, { ...options, require: ['holder', 'holderBinding', 'challenge'] })).toBe(true)
  expect(await verified(token, { ...options, challenge: 'n-2' })).toBe(false)
})

it('didkit verifies our VC-JWT, and not a changed one', async () => {
  const token = await issued(jwt)
  const check = async (text: string) =>
    JSON.parse(await didkit.verifyCredential(text, JSON.stringify({ proofFormat: 'jwt' })))
  expect(await check(token)).toMatchObject({ errors: [], checks: expect.arrayContaining(['JWS']) })
  const [head, body, signature = ''] = token.split('.')
  const changed = await check(`${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`).catch(
    String,
  )
  expect(changed).not.toMatchObject({ errors: [] })
})

it('we verify a VC-JWT of didkit', async () => {
  const jwk = didkit.generateEd25519Key()
  const did = didkit.keyToDID('key', jwk)
  const verificationMethod = await didkit.keyToVerificationMethod('key', jwk)
  const options = JSON.stringify({ proofFormat: 'jwt', verificationMethod, proofPurpose: 'assertionMethod' })
  const credential = JSON.stringify({ ...theirs, issuer: did, credentialSubject: { id: holder.did } })
  const token: string = await didkit.issueCredential(credential, options, jwk)
  expect((await verifier().verify({ data: token })).body).toMatchObject({ verified: true })
})

const hasher = (data: string | ArrayBuffer) =>
  createHash('sha256')
    .update(typeof data === 'string' ? data : Buffer.from(data))
    .digest()
const keyObject = (of: TestKey) => ({ key: jwkOf(of), format: 'jwk' }) as const
const isSignedBy = (of: TestKey) => async (data: string, signature: string) =>
  verifyBytes(null, Buffer.from(data), keyObject(of), Buffer.from(signature, 'base64url'))
const signedBy = (of: TestKey) => async (data: string) => base64UrlOf(await of.sign(Buffer.from(data)))

const sdJwtVc = () =>
  new SDJwtVcInstance({
    hasher,
    hashAlg: 'sha-256',
    saltGenerator: (length: number) => randomBytes(length).toString('base64url'),
    signer: signedBy(key),
    signAlg: 'EdDSA',
    verifier: isSignedBy(key),
    kbSigner: signedBy(holder),
    kbSignAlg: 'EdDSA',
    kbVerifier: isSignedBy(holder),
  })

const toHolder = { cnf: { jwk: jwkOf(holder) } }
const kb = { payload: { iat: seconds(95), aud: 'https://verifier.example', nonce: 'n-1' } }

it.each([
  ['dc+sd-jwt', sdJwt],
  ['vc+sd-jwt', sdJwtOfOlderType],
])('@sd-jwt/sd-jwt-vc verifies our %s, shows parts of it, and binds it', async (typ, format) => {
  const token = await issued(format, { others: toHolder })
  const { payload, header } = await sdJwtVc().verify(token)
  expect(header?.typ).toBe(typ)
  expect(payload).toMatchObject({
    vct: 'Degree',
    iss: key.did,
    sub: holder.did,
    degree: 'M.Sc. Physics',
    langs: ['pl'],
  })
  expect(payload.address).toEqual({ city: 'Łódź', street: 'Main' })
  const shown = await sdJwtVc().present(token, { address: { city: true } } as never, { kb })
  const told = await sdJwtVc().verify(shown, { keyBindingNonce: 'n-1' })
  expect(told.payload).toMatchObject({ address: { city: 'Łódź' } })
  expect(told.payload).not.toHaveProperty('degree')
  const question = { challenge: 'n-1', domain: kb.payload.aud, require: ['holder', 'holderBinding', 'challenge'] }
  expect(await verified(shown, question)).toBe(true)
})

it('we verify an SD-JWT VC of @sd-jwt/sd-jwt-vc with hidden items and decoys, whole and in part', async () => {
  const payload = {
    iss: key.did,
    iat: seconds(50),
    vct: 'https://issuer.example/types/degree',
    degree: 'M.Sc.',
    address: { city: 'Łódź', street: 'Main' },
    langs: ['pl', 'en'],
    ...toHolder,
  }
  const frame = { _sd: ['degree', 'address'], address: { _sd: ['city'] }, langs: { _sd: [0, 1] }, _sd_decoy: 3 }
  const token = await sdJwtVc().issue(payload, frame as never, { header: { kid: key.keyId } })
  expect(await verified(token)).toBe(true)
  for (const shown of [{}, { degree: true }, { langs: { 0: true } }, { address: { city: true } }]) {
    const part = await sdJwtVc().present(token, shown as never, { kb })
    expect(await verified(part, { challenge: 'n-1', require: ['holder'] })).toBe(true)
  }
})

it('@meeco/sd-jwt verifies ours, and we verify theirs', async () => {
  const check = async (data: string) => {
    const [head, body, signature = ''] = data.split('.')
    return isSignedBy(key)(`${head}.${body}`, signature)
  }
  const told = await verifySDJWT(
    await issued(sdJwt),
    check as never,
    (async () => (data: string) => base64UrlOf(hasher(data))) as never,
  )
  expect(told).toMatchObject({ vct: 'Degree', degree: 'M.Sc. Physics', address: { city: 'Łódź', street: 'Main' } })
  const sign = async (header: object, payload: object) =>
    signedBy(key)([header, payload].map((part) => base64UrlOf(JSON.stringify(part))).join('.'))
  const payload = { iss: key.did, iat: seconds(50), vct: 'Degree', degree: 'M.Sc.', langs: ['pl', 'en'] }
  const frame = { _sd: ['degree'], langs: { _sd: [1] }, _sd_decoy: 2 }
  for (const typ of ['dc+sd-jwt', 'vc+sd-jwt']) {
    const header = { alg: 'EdDSA', typ, kid: key.keyId }
    const token = await issueSDJWT(
      header,
      payload,
      frame as never,
      {
        hash: { alg: 'sha-256', callback: (data: string) => base64UrlOf(hasher(data)) },
        signer: sign,
      } as never,
    )
    expect((await verifier().verify({ data: token })).body).toMatchObject({ verified: true })
  }
})

it('@digitalbazaar/did-method-jwk finds the same key in a did:jwk, for the same purposes', async () => {
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  for (const jwk of [jwkOf(key), { ...jwkOf(key), use: 'sig' }, { ...jwkOf(key), use: 'enc' }, p256]) {
    const did = `did:jwk:${base64UrlOf(JSON.stringify(jwk))}`
    const document = await new DidJwkDriver().get({ did })
    const [ours, found] = [didJwkKey(did), documentKey(document, did, `${did}#0`)]
    expect(ours?.signs).toBe(Array.isArray(document.assertionMethod))
    // A key that is made to encrypt verifies nothing, whatever its document says.
    expect(ours?.signs ? ours.key : undefined).toEqual(found?.key)
    expect(ours?.signs).toBe(found?.serves('assertionMethod') ?? false)
  }
})
