import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { degree, pathOf, TestService } from '../../credentials/loop.testing.js'
import { base64UrlOf } from '../../formats/compact/base64url.js'
import type { Json, JsonObject } from '../../formats/json.js'
import { CREDENTIALS_V1, CREDENTIALS_V2 } from '../../formats/json-ld/contexts/known-contexts.js'
import { testKey } from '../../formats/json-ld/testing.js'
import { signedToken } from '../../formats/jwt/testing.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { outgoingEvents } from '../../platform/testing/scratch-database.js'

const world = forAllTests(async () => {
  const service = await TestService.open()
  await service.storeSubjectRefs()
  return { service, issuer: await service.did(), close: () => service.close() }
})
const service = () => world().service

const subject = { id: 'did:example:graduate', ...degree }
const partOf = (token: string, part: number): JsonObject =>
  JSON.parse(Buffer.from(token.split('~')[0]?.split('.')[part] ?? '', 'base64url').toString())

async function issued(format: string, credential: JsonObject = {}, more: Record<string, Json> = {}) {
  const answer = await service().issue({ issuer: world().issuer, subject, ...credential }, { format, ...more })
  expect(answer).toMatchObject({ status: 200, body: expect.any(String) })
  expect(answer.header('content-type')).toMatch(/^application\/json/)
  const token: string = answer.body
  return { token, header: partOf(token, 0), payload: partOf(token, 1), answer }
}

async function checksOf(data: Json, questions: JsonObject = {}): Promise<Record<string, unknown>> {
  const { body } = await service().call('POST', '/verify', { data, ...questions })
  const told = body.checks.map(({ check, passed, reason }: Record<string, string>) => [check, reason ?? passed])
  return { verified: body.verified, ...Object.fromEntries(told) }
}

const dates = { issuanceDate: '2026-01-01T00:00:00.500Z', expirationDate: '2096-01-01T00:00:00Z' }
const seconds = (text: string): number => Math.floor(Date.parse(text) / 1000)

it('a VC-JWT says in registered claims what data model 1.1 asks for, and all of it in vc', async () => {
  const { issuer } = world()
  const { header, payload, token } = await issued('jwt', {
    id: 'urn:jwt:1',
    type: ['Degree'],
    name: 'A degree',
    ...dates,
  })
  expect(header).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: `${issuer}#keys-1` })
  expect(payload).toEqual({
    iss: issuer,
    sub: subject.id,
    jti: 'urn:jwt:1',
    iat: expect.any(Number),
    nbf: seconds(dates.issuanceDate),
    exp: seconds(dates.expirationDate),
    vc: expect.objectContaining({
      id: 'urn:jwt:1',
      type: ['VerifiableCredential', 'Degree'],
      issuer,
      credentialSubject: subject,
      name: 'A degree',
      ...dates,
    }),
  })
  expect(await checksOf(token)).toMatchObject({ verified: true, validity: true, status: null })
})

it('a VC-JWT about several subjects names none of them outside of vc', async () => {
  const { payload, token } = await issued('jwt', { subject: [{ id: 'did:example:a', name: 'a' }, { name: 'b' }] })
  expect(payload).not.toHaveProperty('sub')
  expect(await service().verified(token)).toBe(true)
})

it('a VC-JWT is revoked and taken back by its id', async () => {
  const { token, payload } = await issued('jwt', {}, { revocable: true })
  expect(payload.vc).toMatchObject({ credentialStatus: { type: 'StatusList2021Entry' } })
  expect(await checksOf(token)).toMatchObject({ verified: true, status: true })
  for (const [action, status] of [
    ['revoke', 'revoked'],
    ['unrevoke', true],
  ] as const) {
    const { body } = await service().call('POST', `${pathOf(String(payload.jti))}/${action}`)
    expect(await service().finished(body.id)).toBe('finalized')
    expect(await checksOf(token)).toMatchObject({ verified: status === true, status })
  }
})

it.each([
  ['jwt', 'JWT'],
  ['sdjwt', 'dc+sd-jwt'],
  ['vc+sd-jwt', 'vc+sd-jwt'],
])('a credential of the format %s is kept, listed, opened and told like any other', async (format, typ) => {
  const { token, header, payload } = await issued(
    format,
    { type: ['Degree'], ...dates },
    { persist: true, password: 'sesame' },
  )
  expect(header.typ).toBe(typ)
  const id = String(payload.jti)
  const known = {
    id,
    type: 'Degree',
    algorithm: 'ed25519',
    subjectRef: subject.id,
    issuerKey: header.kid,
    expirationDate: new Date(dates.expirationDate).toISOString(),
    byteSize: token.length,
    persist: true,
  }
  expect((await service().call('GET', `/credentials?filter=${encodeURIComponent(id)}`)).body).toMatchObject([known])
  expect((await service().call('GET', pathOf(id))).body).toMatchObject({ ...known, credential: null })
  const opened = await service().call('GET', `${pathOf(id)}?password=sesame`)
  expect(opened.body).toMatchObject({ ...known, credential: token })
  const password = encodeURIComponent(Buffer.from('sesame').toString('base64'))
  const open = await service().call('GET', `${new URL(id).pathname}?p=${password}`, undefined, '')
  expect(open).toMatchObject({ status: 200, body: token })
  const { team } = service()
  const events = await outgoingEvents(service().scratch, team.team)
  expect(events.at(-1)).toMatchObject({ event: 'credential_issued', data: { id, credential: token } })
  expect(await service().verified(token)).toBe(true)
})

it('an SD-JWT tells openly what it is, and hides each claim of its subject', async () => {
  const { issuer } = world()
  const address = { city: 'Łódź', geo: { lat: 51.7 } }
  const given = { subject: { ...subject, address, langs: ['pl', 'en'] }, type: ['Degree'], id: 'urn:sd:1', ...dates }
  const { token, payload, header } = await issued('sdjwt', given)
  expect(header).toEqual({ alg: 'EdDSA', typ: 'dc+sd-jwt', kid: `${issuer}#keys-1` })
  expect(payload).toEqual({
    iss: issuer,
    sub: subject.id,
    jti: 'urn:sd:1',
    vct: 'Degree',
    iat: expect.any(Number),
    nbf: seconds(dates.issuanceDate),
    exp: seconds(dates.expirationDate),
    _sd_alg: 'sha-256',
    _sd: [expect.any(String), expect.any(String), expect.any(String)],
  })
  const disclosures = token.split('~').slice(1, -1)
  const told = disclosures.map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()))
  expect(told.map(([, name]) => name)).toEqual(['degree', 'lat', 'city', 'geo', 'address', 'langs'].sort(byOrder(told)))
  expect(new Set(told.map(([salt]) => salt)).size).toBe(6)
  expect(told.every(([salt]) => Buffer.from(salt, 'base64url').length === 16)).toBe(true)
  for (const shown of [disclosures, [], disclosures.slice(0, 1)])
    expect(await checksOf([token.split('~')[0], ...shown, ''].join('~'))).toMatchObject({ verified: true })
})

const byOrder = (told: [string, string][]) => (a: string, b: string) =>
  told.findIndex(([, name]) => name === a) - told.findIndex(([, name]) => name === b)

async function schemaWith(properties: JsonObject, required: string[] = []): Promise<string> {
  const schema = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', required, properties }
  const { status, body } = await service().call('POST', '/schemas', { name: 'Shown', ...schema })
  expect(status).toBe(200)
  return body.data.uri
}

it('a schema says what a holder cannot leave out, and counts for what is shown', async () => {
  const never = { type: 'string', sd: 'never' }
  const uri = await schemaWith({ degree: never, grade: { type: 'integer' } }, ['degree', 'grade'])
  const given = { schema: uri, subject: { ...subject, grade: 6 } }
  const { token, payload } = await issued('sdjwt', given)
  expect(payload).toMatchObject({ degree: degree.degree, vct: uri, credentialSchema: { id: uri } })
  const [bare = '', grade = ''] = token.split('~')
  expect(await checksOf(token)).toMatchObject({ verified: true, schema: true })
  expect(await checksOf(`${bare}~`)).toMatchObject({ verified: true, schema: true })
  expect(grade).not.toBe('')
  const wrong = await service().issue(
    { issuer: world().issuer, ...given, subject: { ...subject, grade: 'six' } },
    { format: 'sdjwt' },
  )
  expect(wrong.body).toMatchObject({ type: 'schema_mismatch' })
})

it('the type of an SD-JWT is the one that is named, then the type of the credential', async () => {
  const vct = 'https://issuer.example/types/degree'
  expect((await issued('sdjwt', { vct, type: ['Degree'] })).payload.vct).toBe(vct)
  expect((await issued('sdjwt', { type: ['VerifiableCredential', 'Degree'] })).payload.vct).toBe('Degree')
  expect((await issued('sdjwt')).payload.vct).toBe('VerifiableCredential')
})

it('an SD-JWT for the key of its holder is bound with it', async () => {
  const holder = testKey()
  const cnf = { jwk: { kty: 'OKP', crv: 'Ed25519', x: base64UrlOf(holder.publicKey) } }
  const { token, payload } = await issued('sdjwt', { cnf })
  expect(payload.cnf).toEqual(cnf)
  const claims = {
    iat: Math.floor(Date.now() / 1000),
    aud: 'https://verifier.example',
    nonce: 'n-1',
    sd_hash: createHash('sha256').update(token).digest('base64url'),
  }
  const presented = `${token}${await signedToken({ alg: 'EdDSA', typ: 'kb+jwt' }, claims, holder)}`
  const question = { challenge: 'n-1', domain: claims.aud, require: ['holder', 'holderBinding'] }
  expect(await checksOf(presented, question)).toMatchObject({ verified: true, holder: true, holderBinding: true })
})

it('a member that an SD-JWT has no place for is named, and refused where nothing may be left out', async () => {
  const credential = {
    name: 'A degree',
    issuer: { id: world().issuer, name: 'University' },
    type: ['Degree', 'Master'],
    context: ['https://w3id.org/citizenship/v1'],
  }
  const { answer } = await issued('sdjwt', credential)
  const named = ['/credential/name', '/credential/issuer/name', '/credential/type', '/credential/@context']
  expect(answer.header('accredit-ignored')?.split(', ').sort()).toEqual(
    named.map((one) => one.replace('@', '%40')).sort(),
  )
  const plain = await issued('sdjwt', { context: [CREDENTIALS_V1] })
  expect(plain.answer.header('accredit-ignored')).toBeUndefined()
  const strict = { prefer: 'handling=strict' }
  const body = { credential: { subject, ...credential }, format: 'sdjwt' }
  expect(await service().call('POST', '/credentials', body, undefined, strict)).toMatchObject({ status: 400 })
})

it.each<[string, JsonObject]>([
  ['iss', { subject: { iss: 'x' } }],
  ['exp', { subject: { exp: 1 } }],
  ['status', { subject: { status: 'x' } }],
  ['_sd', { subject: { a: { _sd: [] } } }],
  ['...', { subject: { a: [{ '...': 'x' }] } }],
  ['several subjects', { subject: [{ a: 1 }, { b: 2 }] }],
  ['a cnf without a key', { cnf: { jkt: 'x' } }],
  ['a private key', { cnf: { jwk: { kty: 'OKP', crv: 'Ed25519', x: 'x', d: 'x' } } }],
  ['a cnf with a part that is hidden', { cnf: { kid: 'did:example:a#b', _sd: [] } }],
  ['a vct that is no text', { vct: 1 }],
])('an SD-JWT with %s is not issued', async (_, credential) => {
  const answer = await service().issue({ issuer: world().issuer, subject, ...credential }, { format: 'sdjwt' })
  expect(answer).toMatchObject({ status: 400, body: { type: 'invalid_request', message: expect.any(String) } })
})

it.each(['jwt', 'sdjwt'])('a %s with a date that no token can tell is not issued', async (format) => {
  const issuanceDate = '0001-01-01T00:00:00+14:00'
  const answer = await service().issue({ issuer: world().issuer, subject, issuanceDate }, { format })
  expect(answer).toMatchObject({ status: 400, body: { type: 'invalid_request' } })
})

it('the status of an SD-JWT is one that its readers know, in a registry that is there', async () => {
  const { issuer } = world()
  for (const format of ['sdjwt', 'vc+sd-jwt'])
    for (const [status, answer] of [
      ['9'.repeat(64), { status: 404 }],
      [{ id: 'https://a.example/1', type: 'StatusList2021Entry' }, { status: 400 }],
      [{ status_list: { idx: -1, uri: 'https://a.example/1' } }, { status: 400 }],
      [{ status_list: { idx: 1, uri: 'https://a.example/1' } }, { status: 200 }],
    ] as const)
      expect(await service().issue({ issuer, subject, status }, { format })).toMatchObject(answer)
})

it('a token without an issuer is not made: it would be unsigned', async () => {
  for (const format of ['jwt', 'sdjwt'])
    expect(await service().issue({ subject }, { format })).toMatchObject({ status: 400 })
})

it('an issuer that is a did:key signs tokens too', async () => {
  const issuer = await service().did(undefined, { type: 'key' })
  expect(issuer).toMatch(/^did:key:/)
  for (const format of ['jwt', 'sdjwt']) {
    const { token } = await issued(format, { issuer })
    expect(await service().verified(token)).toBe(true)
  }
})

it('a status entry of the caller stands in an SD-JWT openly, and counts', async () => {
  const list = 'https://lists.example/1'
  const entry = { id: `${list}#1`, type: 'StatusList2021Entry', statusPurpose: 'revocation', statusListIndex: '1' }
  const status = { ...entry, statusListCredential: list }
  const { token, payload } = await issued('sdjwt', { status })
  expect(payload.credentialStatus).toEqual([status])
  expect(await checksOf(token)).toMatchObject({ verified: false, proof: true, status: 'unavailable' })
})

it('a credential of data model 2.0 is the payload of its token', async () => {
  const { issuer } = world()
  const context = [CREDENTIALS_V2]
  const given = {
    context,
    id: 'urn:jwt:2',
    type: ['Degree'],
    validFrom: dates.issuanceDate,
    validUntil: dates.expirationDate,
  }
  const { header, payload, token } = await issued('jwt', given)
  expect(header).toEqual({ alg: 'EdDSA', typ: 'vc+jwt', kid: `${issuer}#keys-1` })
  expect(payload).toMatchObject({
    '@context': expect.arrayContaining(context),
    id: 'urn:jwt:2',
    type: ['VerifiableCredential', 'Degree'],
    issuer,
    validFrom: dates.issuanceDate,
    validUntil: dates.expirationDate,
    credentialSubject: subject,
    iat: expect.any(Number),
  })
  expect(payload).not.toHaveProperty('vc')
  expect(await checksOf(token)).toMatchObject({ verified: true, validity: true })
})

it.each(['aud', 'sub', 'exp', 'nonce', 'vc', 'vp'])(
  'a credential of data model 2.0 has no member %s of its own in a token, where it would mean something else',
  async (name) => {
    const { service, issuer } = world()
    const credential = { issuer, subject, context: [CREDENTIALS_V2], [name]: 'urn:x' }
    expect(await service.issue(credential, { format: 'jwt' })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(`cannot be named ${name}`) },
    })
  },
)
