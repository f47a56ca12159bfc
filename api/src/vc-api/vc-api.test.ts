import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, TestService } from '../credentials/loop.testing.js'
import type { Json, JsonObject } from '../formats/json.js'
import { CREDENTIALS_V1, CREDENTIALS_V2 } from '../formats/json-ld/contexts/known-contexts.js'
import { testKey } from '../formats/json-ld/testing.js'
import { signedToken } from '../formats/jwt/testing.js'
import { testTeam } from '../platform/testing/scratch-database.js'
import { credential as credentialOf, presentation } from '../verification/testing.js'

let service: TestService
let issuer: string
beforeAll(async () => {
  service = await TestService.open()
  issuer = await service.did()
})
afterAll(() => service.close())

/** A request with a key as a bearer. */
const post = (path: string, body: Json, apiKey = service.team.apiKey): Promise<Answer> =>
  service.call('POST', `/vc-api${path}`, body, '', { authorization: `Bearer ${apiKey}` })

const unsigned = (more: JsonObject = {}): JsonObject => ({
  '@context': [CREDENTIALS_V1],
  type: ['VerifiableCredential'],
  issuer,
  issuanceDate: '2026-01-01T00:00:00Z',
  credentialSubject: { id: 'did:example:graduate' },
  ...more,
})

async function issued(options: JsonObject = {}, more: JsonObject = {}): Promise<JsonObject> {
  const { status, body } = await post('/credentials/issue', { credential: unsigned(more), options })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.verifiableCredential
}

const verify = (verifiableCredential: Json, options: JsonObject = {}) =>
  post('/credentials/verify', { verifiableCredential, options })

const LIST = { type: 'StatusList2021Entry', statusPurpose: 'revocation' }
const PROBLEM = { type: expect.any(String), title: expect.any(String), detail: expect.any(String) }

/** Refused as RFC 9457 and VC-API say it. */
function expectProblem({ status, body, header }: Answer, code: string, more: object = {}): void {
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { ...PROBLEM, status: 400, code, problemDetails: expect.arrayContaining([PROBLEM]), ...more },
  })
  expect(header('content-type')).toBe('application/problem+json; charset=utf-8')
}

describe('issuing', () => {
  it('answers 201 with the credential, as it was sent and with a proof, and it verifies', async () => {
    const credential = await issued()
    expect(credential).toMatchObject({ issuer, credentialSubject: { id: 'did:example:graduate' } })
    expect(credential.proof).toMatchObject({ type: 'Ed25519Signature2020', proofPurpose: 'assertionMethod' })
    expect(await verify(credential)).toMatchObject({
      status: 200,
      body: { verified: true, checks: expect.arrayContaining(['structure', 'proof', 'issuerKey']), problemDetails: [] },
    })
  })

  it('signs with the cryptosuite that is asked for, and refuses one that is not there', async () => {
    expect((await issued({ cryptosuite: 'ed25519-2018' })).proof).toMatchObject({ type: 'Ed25519Signature2018' })
    const credential = unsigned()
    const answer = await post('/credentials/issue', { credential, options: { cryptosuite: 'none-2026' } })
    expectProblem(answer, 'unsupported_format')
  })

  it.each<[string, JsonObject, string]>([
    ['no context', { '@context': [] }, '/credential/%40context'],
    [
      'another first context',
      { '@context': ['https://w3id.org/security/v2', CREDENTIALS_V1] },
      '/credential/%40context',
    ],
    ['no type', { type: [] }, '/credential/type'],
    ['another type', { type: ['Degree'] }, '/credential/type'],
    ['an issuer that is no URL', { issuer: 'me' }, '/credential/issuer'],
    ['an issuer that is a list', { issuer: [] }, '/credential/issuer'],
    ['no subject', { credentialSubject: [] }, '/credential/credentialSubject'],
    ['an empty subject', { credentialSubject: {} }, '/credential/credentialSubject'],
    ['a subject that is a text', { credentialSubject: 'did:example:a' }, '/credential/credentialSubject'],
    ['a proof', { proof: {} }, '/credential/proof'],
    ['evidence without a type', { evidence: [{ id: 'urn:e:1' }] }, '/credential/evidence'],
    ['a name of this service', { subject: { id: 'did:example:a' } }, '/credential/subject'],
  ])('refuses %s, by its place', async (_, more, path) => {
    const answer = await post('/credentials/issue', { credential: unsigned(more), options: {} })
    expectProblem(answer, 'invalid_request', { problems: [expect.objectContaining({ path })] })
  })

  it('refuses an option that nobody heeds, and a body without a credential', async () => {
    const credential = unsigned()
    for (const body of [{ credential, options: { mandatoryPointers: ['/issuer'] } }, { options: {} }, {}, []])
      expectProblem(await post('/credentials/issue', body), 'invalid_request')
  })

  it('is for the team of the issuer, with its key', async () => {
    const other = await testTeam(service.scratch.db)
    const body = { credential: unsigned(), options: {} }
    expect(await post('/credentials/issue', body, other.apiKey)).toMatchObject({
      status: 404,
      body: { code: 'not_found', problemDetails: [PROBLEM] },
    })
    expect(await service.call('POST', '/vc-api/credentials/issue', body, '')).toMatchObject({
      status: 401,
      body: { ...PROBLEM, code: 'unauthorized' },
    })
  })
})

describe('verifying', () => {
  it.each<[string, (credential: JsonObject) => JsonObject, string]>([
    ['a changed claim', (one) => ({ ...one, issuanceDate: '2026-01-02T00:00:00Z' }), 'PROOF_VERIFICATION_ERROR'],
    ['no proof', ({ proof: _, ...one }) => one, 'MALFORMED_VALUE_ERROR'],
    ['another issuer', (one) => ({ ...one, issuer: 'did:example:a' }), 'INVALID_VERIFICATION_METHOD'],
    ['no type', ({ type: _, ...one }) => one, 'MALFORMED_VALUE_ERROR'],
  ])('answers 400 to %s, with the type of the standard', async (_, change, type) => {
    const answer = await verify(change(await issued()))
    expectProblem(answer, 'not_verified', {
      verified: false,
      problemDetails: expect.arrayContaining([expect.objectContaining({ type: expect.stringContaining(`#${type}`) })]),
    })
  })

  it('answers 400 to one that has expired', async () => {
    const expired = await issued({}, { expirationDate: '2026-01-02T00:00:00Z' })
    expectProblem(await verify(expired), 'not_verified', {
      problemDetails: [expect.objectContaining({ title: 'validity: expired' })],
    })
  })

  it('repeats the credential where that is asked for', async () => {
    const credential = await issued()
    const { body } = await verify(credential, { returnCredential: true, checks: ['proof'] })
    expect(body.credential).toEqual(credential)
    expect((await verify(credential)).body.credential).toBeUndefined()
  })

  it.each<[string, Json]>([
    ['nothing', {}],
    ['a text', { verifiableCredential: 'x' }],
    ['a list', { verifiableCredential: [] }],
    ['null', { verifiableCredential: null }],
    ['an unknown option', { verifiableCredential: {}, options: { challenge: 'c' } }],
    ['a presentation', { verifiableCredential: { type: ['VerifiablePresentation'] } }],
    ['a presentation in the form of wallets', { verifiableCredential: { spec: { credentials: [] } } }],
    ['a token of a presentation', { verifiableCredential: { type: 'EnvelopedVerifiablePresentation', id: 'data:,x' } }],
  ])('refuses %s', async (_, body) => expectProblem(await post('/credentials/verify', body), 'invalid_request'))
})

describe('presentations', () => {
  const show = (verifiablePresentation: Json, options: JsonObject = {}) =>
    post('/presentations/verify', { verifiablePresentation, options })
  const bare = (...verifiableCredential: Json[]): JsonObject => ({
    '@context': [CREDENTIALS_V1],
    type: ['VerifiablePresentation'],
    verifiableCredential,
  })

  it('with a proof answer the challenge and the domain that they carry, and no other', async () => {
    const asked = { challenge: 'c', domain: 'd' }
    const shown = await presentation(testKey(), [await issued()], asked)
    expect(await show(shown, asked)).toMatchObject({ status: 200, body: { verified: true } })
    for (const [other, type] of [
      [{ ...asked, challenge: 'x' }, 'INVALID_CHALLENGE_ERROR'],
      [{ ...asked, domain: 'x' }, 'INVALID_DOMAIN_ERROR'],
    ] as const)
      expectProblem(await show(shown, other), 'not_verified', {
        problemDetails: [expect.objectContaining({ type: expect.stringContaining(type) })],
      })
  })

  it('without a proof stand or fall with each of their credentials, and carry no challenge', async () => {
    const [good, foreign] = [await issued(), await credentialOf(testKey())]
    const shown = bare(good, foreign)
    const answer = await show(shown, { returnPresentation: true })
    expect(answer).toMatchObject({ status: 200, body: { verified: true, presentation: shown } })
    for (const bad of [{ ...good, issuanceDate: '2026-01-02T00:00:00Z' }, unsigned()])
      expectProblem(await show(bare(good, bad)), 'not_verified', { verified: false })
    for (const wrong of [bare(), bare(bare(good)), bare(7), bare(...Array.from({ length: 33 }, () => good))])
      expectProblem(await show(wrong), 'invalid_request')
    expectProblem(await show(shown, { challenge: 'c' }), 'invalid_request')
    expectProblem(await show({ ...shown, proof: [] }), 'not_verified')
    expectProblem(await show(good), 'invalid_request')
  })

  it('without a proof are read as far as they can be: a holder is not proven, and an end is one', async () => {
    const shown = bare(await credentialOf(testKey()))
    const { status, body } = await show({ ...shown, holder: issuer })
    expect({ status, warnings: body.warnings }).toEqual({ status: 200, warnings: [expect.stringMatching(/holder/)] })
    const cases: [JsonObject, string][] = [
      [{ validUntil: '2026-01-01T00:00:00Z' }, 'validity: expired'],
      [{ validUntil: 'tomorrow' }, 'validity: unreadable_date'],
      [{ holder: {} }, 'structure: malformed'],
      [{ credentialStatus: LIST }, 'structure: malformed'],
      [{ '@context': [] }, 'structure: malformed'],
    ]
    for (const [wrong, title] of cases)
      expectProblem(await show({ ...shown, ...wrong }), 'not_verified', {
        problemDetails: [expect.objectContaining({ title })],
      })
  })

  it('may be tokens in documents, whose signatures are the proofs', async () => {
    const holder = testKey()
    const claims = { iss: holder.did, nonce: 'c', vp: bare(await issued()) }
    const token = await signedToken({ alg: 'EdDSA', kid: holder.keyId }, claims, holder)
    const shown = { type: 'EnvelopedVerifiablePresentation', id: `data:application/vp+jwt,${token}` }
    expect(await show(shown, { challenge: 'c' })).toMatchObject({ status: 200, body: { verified: true } })
    expectProblem(await show(shown, { challenge: 'x' }), 'not_verified')
  })
})

describe('status', () => {
  const change = (credentialId: Json | undefined, status: Json, credentialStatus: Json = LIST) =>
    post('/credentials/status', { credentialId: credentialId ?? null, credentialStatus, status })

  it('revokes, and takes it back: the answer comes when verifiers see it', async () => {
    const credential = await issued({ credentialStatus: { type: 'StatusList2021Entry' } })
    expect(credential.credentialStatus).toMatchObject(LIST)
    expect(await verify(credential)).toMatchObject({ status: 200 })
    expect(await change(credential.id, true)).toMatchObject({ status: 200, body: {} })
    expectProblem(await verify(credential), 'not_verified', {
      problemDetails: [expect.objectContaining({ type: expect.stringContaining('STATUS_VERIFICATION_ERROR') })],
    })
    expect(await change(credential.id, false)).toMatchObject({ status: 200, body: {} })
    expect(await verify(credential)).toMatchObject({ status: 200 })
  })

  it('of data model 2.0 stands in a Bitstring list, and is changed for the purpose of that list alone', async () => {
    const more = { '@context': [CREDENTIALS_V2], issuanceDate: undefined }
    const { issuanceDate: _, ...credential } = { ...unsigned(), ...more }
    const entry = { type: 'BitstringStatusListEntry', statusPurpose: 'revocation' }
    const options = { cryptosuite: 'eddsa-rdfc-2022', credentialStatus: { type: entry.type } }
    const { status, body } = await post('/credentials/issue', { credential, options })
    expect({ status, body }).toMatchObject({ status: 201 })
    const signed = body.verifiableCredential
    expect(signed.credentialStatus).toMatchObject(entry)
    expectProblem(await change(signed.id, true, { ...entry, statusPurpose: 'suspension' }), 'invalid_request')
    expect(await verify(signed)).toMatchObject({ status: 200 })
    expect(await change(signed.id, true, entry)).toMatchObject({ status: 200 })
    expectProblem(await verify(signed), 'not_verified')
  })

  it('is refused where there is nothing that could be changed', async () => {
    const { id } = await issued()
    expectProblem(await change(id, true), 'invalid_request')
    for (const entry of [{ type: 'NoStatus2026' }, { ...LIST, statusPurpose: 'message' }, {}, 'x'])
      expectProblem(await change(id, true, entry), 'invalid_request')
    expectProblem(await change(id, 'yes'), 'invalid_request')
    expect(await change('urn:nobody:has:this', true)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    const credential = unsigned()
    const options = { credentialStatus: { type: 'BitstringStatusListEntry' } }
    expectProblem(await post('/credentials/issue', { credential, options }), 'invalid_request')
  })
})
