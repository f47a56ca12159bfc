import { createPublicKey, randomUUID, verify as verifySignature } from 'node:crypto'
import { decodeBase58 } from '@accredit/chain'
import { beforeAll, describe, expect, it } from 'vitest'
import { builders, checkOf, type Degree, institutions, type Verification } from './support/ecosystem.js'
import { requestsWith } from './support/requests.js'
import { apiKey, apiUrl } from './support/shared-stack.js'

const make = builders(apiUrl, apiKey)
const { client, request } = make
const anyone = requestsWith(undefined, apiUrl)

describe('the main job', () => {
  let convener: string
  let university: string
  let other: string
  let schema: string
  let registry: string
  let participant: string
  let degree: Degree

  const verify = (at?: number | string, data: unknown = degree): Promise<Verification> =>
    client.call('POST', '/verify', { data, trustRegistryId: registry, ...(at === undefined ? {} : { at }) })
  const authorization = (did: string, at?: number | string) =>
    anyone(
      'GET',
      `/trust-registries/${registry}/authorization?did=${did}&schema=${encodeURIComponent(schema)}&role=issuer${at === undefined ? '' : `&at=${encodeURIComponent(at)}`}`,
    )
  const indexedBlock = async (): Promise<number> => (await anyone('GET', '/ledger/status')).body.indexed.block

  beforeAll(async () => {
    ;[convener, university, other, schema] = await Promise.all([
      make.organisation('Council of Universities'),
      make.organisation(institutions.get('bilkent.edu.tr') ?? ''),
      make.organisation(institutions.get('ox.ac.uk') ?? ''),
      make.schema(),
    ])
    registry = await make.registry(convener, `Degrees ${randomUUID().slice(0, 8)}`)
    const [member] = await Promise.all([
      make.accredit(registry, university, [schema]),
      make.accredit(registry, other, [schema]),
    ])
    participant = member.id
    degree = await make.degree(university, schema)
  })

  it('authorises an accredited university from its block on, and not one block earlier', async () => {
    const { body } = await authorization(university)
    expect(body).toMatchObject({ authorized: true, reason: 'direct', block: expect.any(Number) })
    const { list } = (
      await anyone('GET', `/trust-registries/${registry}/history?event=TrustRegistry.IssuerChanged&did=${university}`)
    ).body
    const accredited: number = list[0].block
    expect((await authorization(university, accredited)).body.authorized).toBe(true)
    expect((await authorization(university, accredited - 1)).body.authorized).toBe(false)
  })

  it('answers a relying party with a statement that the key of the convener signed, as its DID document lists it', async () => {
    const question = { entity_id: university, authority_id: registry, action: 'issue', resource: schema }
    const { body } = await anyone('POST', '/trqp/authorization', question, { accept: 'application/jwt' })
    const [header = '', claims = '', signature = ''] = body.split('.')
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    expect(read(claims)).toMatchObject({ ...question, iss: convener, sub: university, authorized: true })
    const { alg, typ, kid } = read(header)
    expect({ alg, typ }).toEqual({ alg: 'EdDSA', typ: 'trqp-authorization+jwt' })
    const document = (await anyone('GET', `/1.0/identifiers/${convener}`)).body.didDocument
    expect(document.assertionMethod).toContain(kid)
    const { publicKeyMultibase } = document.verificationMethod.find(({ id }: { id: string }) => id === kid)
    const x = Buffer.from(decodeBase58(publicKeyMultibase.slice(1)) ?? [])
      .subarray(2)
      .toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    const isSigned = (content: string) =>
      verifySignature(null, Buffer.from(content), key, Buffer.from(signature, 'base64url'))
    expect(isSigned(`${header}.${claims}`)).toBe(true)
    expect(isSigned(`${header}.${claims.slice(0, -1)}`)).toBe(false)
  })

  it('verifies its degree with every check named, and refuses a changed one for its proof', async () => {
    const answer = await verify()
    expect(answer.checks.filter(({ passed }) => passed === false)).toEqual([])
    expect(answer.verified).toBe(true)
    for (const name of ['structure', 'proof', 'issuerKey', 'validity', 'schema', 'status', 'issuerAuthorised'])
      expect(checkOf(answer, name)?.passed).toBe(true)
    const changed = await verify(undefined, {
      ...degree,
      credentialSubject: { ...degree.credentialSubject, degree: 'Ph.D.' },
    })
    expect(changed.verified).toBe(false)
    expect(checkOf(changed, 'proof')?.passed).toBe(false)
  })

  it('refuses a suspended university from the block of its suspension, and accepts it one block earlier', async () => {
    const before = await indexedBlock()
    const instant = new Date().toISOString()
    await client.settled('PATCH', `/trust-registries/${registry}/participants/${participant}`, { status: 'suspended' })
    const { list } = (await anyone('GET', `/trust-registries/${registry}/history?event=TrustRegistry.IssuerSuspended`))
      .body
    const [suspension] = list
    expect(suspension).toMatchObject({
      actor: convener,
      subject: university,
      extrinsicHash: expect.stringMatching(/^0x/),
    })
    expect(checkOf(await verify(), 'issuerAuthorised')).toMatchObject({
      passed: false,
      reason: expect.stringContaining('suspended'),
    })
    expect((await verify(suspension.block)).verified).toBe(false)
    expect((await verify(suspension.block - 1)).verified).toBe(true)
    for (const at of [before, instant]) expect((await verify(at)).verified).toBe(true)
    expect((await authorization(university)).body).toMatchObject({ authorized: false, reason: 'suspended' })
    expect((await authorization(other)).body.authorized).toBe(true)
    await client.settled('PATCH', `/trust-registries/${registry}/participants/${participant}`, { status: 'active' })
    expect((await verify()).verified).toBe(true)
  })

  it('refuses a revoked degree from the block of its revocation, and accepts it before and after it is unrevoked', async () => {
    const before = await indexedBlock()
    const path = `/credentials/${encodeURIComponent(degree.id)}`
    await client.finished((await request('POST', `${path}/revoke`)).body.id)
    const revoked = await verify()
    expect(revoked.verified).toBe(false)
    expect(checkOf(revoked, 'status')?.passed).toBe(false)
    expect((await verify(before)).verified).toBe(true)
    await client.finished((await request('POST', `${path}/unrevoke`)).body.id)
    expect((await verify()).verified).toBe(true)
  })

  it('does not verify a degree whose status list cannot be had', async () => {
    const elsewhere = {
      ...degree,
      credentialStatus: { ...degree.credentialStatus, statusListCredential: 'https://nowhere.invalid/list' },
    }
    expect((await verify(undefined, elsewhere)).verified).toBe(false)
  })

  it('answers a repeated request with the same idempotency key with the first answer', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const first = await request('POST', '/dids', {}, headers)
    const second = await request('POST', '/dids', {}, headers)
    expect(second.body).toEqual(first.body)
    expect((await request('POST', '/dids', { type: 'key' }, headers)).status).toBe(409)
  })

  it('answers the queries of the ledger by their names', async () => {
    const query = async (name: string, body: unknown) => (await anyone('POST', `/ledger/queries/${name}`, body)).body
    expect(JSON.stringify(await query('issuersTrustRegistries', { did: university }))).toContain(registry)
    expect(JSON.stringify(await query('registriesIds', { filter: { issuers: { AnyOf: [university] } } }))).toContain(
      registry,
    )
    expect(JSON.stringify(await query('registriesIds', { filter: {} }))).not.toContain(registry)
  })

  it('refuses questions about the future, and answers unknown things with 404', async () => {
    expect((await authorization(university, '2999-01-01T00:00:00Z')).status).toBe(400)
    for (const path of [`/trust-registries/0x${'00'.repeat(32)}`, '/jobs/999999999', '/nothing-here'])
      expect(await request('GET', path)).toMatchObject({ status: 404, body: { status: 404, type: expect.any(String) } })
  })
})
