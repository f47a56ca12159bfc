import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { builders } from './support/ecosystem.js'
import { type Answer, requestsWith } from './support/requests.js'
import { apiKey, apiUrl } from './support/shared-stack.js'
import { anotherTeam } from './support/team.js'

const ours = builders(apiUrl, apiKey)
const anyone = requestsWith(undefined, apiUrl)
const schemaUri = (name: string) => `https://schema.example/${name}.json`
const [one, two, three] = [schemaUri('One'), schemaUri('Two'), schemaUri('Three')]

let theirs: ReturnType<typeof builders>
let convener: string
let registry: string
let name: string
/** Of the other team; it may be in the ecosystems of other tests as well. */
let member: string
beforeAll(async () => {
  theirs = builders(apiUrl, await anotherTeam('Guests'))
  ;[convener, member] = await Promise.all([ours.organisation('Council'), theirs.organisation('University')])
})
beforeEach(async () => {
  name = `Registry ${randomUUID().slice(0, 8)}`
  registry = await ours.registry(convener, name)
})

const path = (rest: string) => `/trust-registries/${registry}/participants${rest}`

/** Waits for the job of a write when the answer came before it ended. */
async function settled(by: typeof ours, answer: Answer): Promise<Answer> {
  if (answer.headers.has('accredit-pending')) await by.client.finished(answer.headers.get('accredit-job'))
  return answer
}
const write = async (by: typeof ours, method: string, url: string, body?: unknown) =>
  settled(by, await by.request(method, url, body))

/** The ecosystem's convener invites, the other team accepts. */
async function accept(schemas: object, did = member): Promise<Answer> {
  const { body } = await ours.request('POST', path(''), schemas)
  const token = body.link.split('?token=')[1]
  return write(theirs, 'POST', '/trust-registries/invitations/accept', { token, did, infoUrl: '' })
}
const may = async (did: string, schema: string | undefined, role: string, at?: number): Promise<string> => {
  const query = new URLSearchParams({
    did,
    schema: schema ?? '',
    role,
    ...(at === undefined ? {} : { at: String(at) }),
  })
  return (await anyone('GET', `/trust-registries/${registry}/authorization?${query}`)).body.reason
}
const head = async (): Promise<number> => (await anyone('GET', '/ledger/status')).body.indexed.block

describe('an ecosystem of two teams', () => {
  it('accredits a DID of the other team by the word of the convener, and both see it', async () => {
    const newcomer = await theirs.organisation('Newcomer')
    const { status, body } = await accept({ issuerSchemas: [one], verifierSchemas: [two] }, newcomer)
    expect({ status, body }).toMatchObject({ status: 200, body: { role: 'verifier+issuer', issuerSchemas: [one] } })
    expect(
      await Promise.all([may(newcomer, one, 'issuer'), may(newcomer, two, 'verifier'), may(newcomer, two, 'issuer')]),
    ).toEqual(['direct', 'direct', 'not_listed'])
    for (const by of [ours, theirs]) expect((await by.request('GET', path(`/${body.id}`))).body.did).toBe(newcomer)
    const event = (await anyone('GET', `/trust-registries/${registry}/history?event=TrustRegistry.IssuerChanged`)).body
      .list[0]
    expect(event).toMatchObject({ actor: convener, subject: newcomer })
    expect((await anyone('GET', `/dids/${newcomer}/ecosystems`)).body).toMatchObject({
      total: 1,
      list: [{ id: registry }],
    })
  })

  it('loses no change of clients that change the same participant and registry at once', async () => {
    const { id } = (await accept({})).body
    const others = await Promise.all(Array.from({ length: 3 }, (_, i) => theirs.organisation(`Member ${i}`)))
    const answers = await Promise.all([
      ...others.map((did) => accept({ issuerSchemas: [one, two] }, did)),
      write(ours, 'PATCH', path(`/${id}`), { issuerSchemas: [one] }),
      write(ours, 'PATCH', path(`/${id}`), { verifierSchemas: [two, three] }),
    ])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const { body } = await ours.request('GET', path(''))
    expect(body.total).toBe(4)
    expect(body.list.filter((row: { issuerSchemas: string[] }) => row.issuerSchemas.length === 2)).toHaveLength(3)
    expect((await theirs.request('GET', path(`/${id}`))).body).toMatchObject({
      role: 'verifier+issuer',
      issuerSchemas: [one],
      verifierSchemas: expect.arrayContaining([two, three]),
    })
  })

  it('suspends once however often it is asked, in all roles, and readmits', async () => {
    const { id } = (await accept({ issuerSchemas: [one], verifierSchemas: [two] })).body
    const before = await head()
    const many = await Promise.all([1, 2, 3].map(() => write(ours, 'PATCH', path(`/${id}`), { status: 'suspended' })))
    expect(many.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1)
    for (const { status, body } of many) if (status !== 200) expect(body.message).toMatch(/suspended/i)
    const shown = (await theirs.request('GET', path(`/${id}`))).body
    expect(shown).toMatchObject({ status: 'suspended', issuerSchemas: [one] })
    expect(Number.isNaN(Date.parse(shown.suspendedAt))).toBe(false)
    expect([await may(member, one, 'issuer'), await may(member, two, 'verifier')]).toEqual(['suspended', 'suspended'])
    expect(await may(member, one, 'issuer', before)).toBe('direct')
    expect((await write(ours, 'PATCH', path(`/${id}`), { status: 'active' })).body).toMatchObject({
      status: 'active',
      suspendedAt: '',
    })
    expect(await may(member, one, 'issuer')).toBe('direct')
  })

  it('writes a remembered suspension together with the first right, in one block', async () => {
    const { id } = (await accept({})).body
    expect((await write(ours, 'PATCH', path(`/${id}`), { status: 'suspended' })).body.status).toBe('suspended')
    const before = await head()
    expect((await write(ours, 'PATCH', path(`/${id}`), { verifierSchemas: [two] })).body).toMatchObject({
      status: 'suspended',
    })
    const last = await head()
    for (let block = before; block <= last; block++)
      expect(['unknown_schema', 'not_listed', 'suspended']).toContain(await may(member, two, 'verifier', block))
    expect(await may(member, two, 'verifier')).toBe('suspended')
  })

  it('lets a participant leave by its own word and come back by invitation, still suspended', async () => {
    const { id } = (await accept({ issuerSchemas: [one, two] })).body
    await write(ours, 'PATCH', path(`/${id}`), { status: 'suspended' })
    expect(await write(theirs, 'DELETE', path(`/${id}`))).toMatchObject({ status: 200, body: {} })
    expect((await ours.request('GET', path(''))).body).toEqual({ total: 0, list: [] })
    expect((await theirs.request('GET', path(''))).status).toBe(404)
    const { list } = (
      await anyone('GET', `/trust-registries/${registry}/history?event=TrustRegistry.IssuerChanged&order=desc`)
    ).body
    expect(list[0]).toMatchObject({ actor: member, subject: member })
    expect((await accept({ issuerSchemas: [two] })).body).toMatchObject({
      id,
      status: 'suspended',
      issuerSchemas: [two],
    })
    expect(await may(member, two, 'issuer')).toBe('suspended')
  })

  it('lets the convener remove one of many, and touches nobody else', async () => {
    const other = await theirs.organisation('Other')
    const [{ body }] = [await accept({ issuerSchemas: [one] }), await accept({ issuerSchemas: [one] }, other)]
    expect((await write(ours, 'DELETE', path(`/${body.id}`))).status).toBe(200)
    expect([await may(member, one, 'issuer'), await may(other, one, 'issuer')]).toEqual(['not_listed', 'direct'])
  })
})

describe('participants whose DIDs are of other methods', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const issuer = `did:jwk:${part(publicKey.export({ format: 'jwk' }))}`
  const verifier = 'did:web:employer.example%3A8443:hr'

  /** A credential that the issuer signs with a key of its own. */
  function token(schema: string): string {
    const vc = {
      '@context': ['https://www.w3.org/2018/credentials/v1'],
      type: ['VerifiableCredential'],
      credentialSchema: { id: schema, type: 'JsonSchemaValidator2018' },
      credentialSubject: { degree: 'M.Sc.' },
    }
    const claims = { iss: issuer, nbf: Math.floor(Date.now() / 1000) - 5, vc }
    const signed = `${part({ alg: 'EdDSA', typ: 'JWT', kid: `${issuer}#0` })}.${part(claims)}`
    return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`
  }

  it('are listed by their text, and what they sign counts until the convener suspends them', async () => {
    const hosted = { $schema: 'http://json-schema.org/draft-07/schema#', name: 'Degree', type: 'object' }
    const properties = { degree: { type: 'string' } }
    const schema = (await ours.request('POST', '/schemas', { ...hosted, properties })).body.data.uri
    const rows = [
      { did: issuer, name: 'A key', issuerSchemas: [schema], prices: [{ schema, currency: 'EUR', digits: 5 }] },
      { did: verifier, name: 'Employer', verifierSchemas: [schema] },
    ]
    const { status, body } = await ours.request('POST', path('/bulk'), rows)
    expect(status).toBe(200)
    await ours.client.finished(body.id)
    expect([await may(issuer, schema, 'issuer'), await may(verifier, schema, 'verifier')]).toEqual(['direct', 'direct'])
    const verify = async () => {
      const question = { data: token(schema), trustRegistryId: registry, verifierDID: verifier }
      return (await ours.request('POST', '/verify', question)).body
    }
    expect(await verify()).toMatchObject({ verified: true })
    const trqp = { authority_id: registry, entity_id: issuer, action: 'issue', resource: schema }
    expect((await anyone('POST', '/trqp/authorization', trqp)).body).toMatchObject({ authorized: true })
    const { list } = (await ours.request('GET', path(`?did=${encodeURIComponent(issuer)}`))).body
    expect(list).toMatchObject([{ did: issuer, name: 'A key', issuerSchemas: [schema] }])
    const delegates = `/trust-registries/${registry}/issuers/${encodeURIComponent(issuer)}/delegates`
    expect((await ours.request('GET', delegates)).body).toEqual({ delegates: [] })
    const refused = await ours.request('PUT', delegates, { delegates: [convener] })
    expect(refused).toMatchObject({ status: 400, body: { type: expect.stringContaining('did_method_not_supported') } })
    const history = `/dids/${encodeURIComponent(issuer)}/history`
    expect((await anyone('GET', history)).body.list[0]).toMatchObject({ actor: convener, subject: issuer })
    expect((await write(ours, 'PATCH', path(`/${list[0].id}`), { status: 'suspended' })).status).toBe(200)
    expect(await may(issuer, schema, 'issuer')).toBe('suspended')
    expect(await verify()).toMatchObject({ verified: false })
    expect((await write(ours, 'DELETE', path(`/${list[0].id}`))).status).toBe(200)
    expect(await may(issuer, schema, 'issuer')).toBe('suspended')
    expect((await anyone('POST', '/trqp/authorization', trqp)).body).toMatchObject({ authorized: false })
  })
})

describe('schemas of an ecosystem', () => {
  const schemaPath = (schema = '') => `/trust-registries/${registry}/schemas/${encodeURIComponent(schema)}`
  const schemas = async () => (await ours.request('GET', `/trust-registries/${registry}/schemas`)).body

  it('are added without participants, opened for every verifier, and closed again', async () => {
    expect(await write(ours, 'PUT', schemaPath(one), {})).toMatchObject({
      status: 200,
      body: { id: one, public: false },
    })
    expect(await schemas()).toMatchObject({ total: 1, list: [{ id: one, public: false, participantCount: 0 }] })
    expect(await may(member, one, 'verifier')).toBe('not_listed')
    await accept({ issuerSchemas: [one], verifierSchemas: [one, two] })
    for (const schema of [one, three]) {
      expect((await write(ours, 'PUT', schemaPath(schema), { public: true })).status).toBe(200)
      expect(await may(convener, schema, 'verifier')).toBe('public_schema')
    }
    expect(await write(ours, 'PUT', schemaPath(one), { public: true })).toMatchObject({ status: 200 })
    expect((await write(ours, 'PUT', schemaPath(one), { public: false })).status).toBe(200)
    expect([await may(convener, one, 'verifier'), await may(member, one, 'issuer')]).toEqual(['not_listed', 'direct'])
    expect((await theirs.request('PUT', schemaPath(one), { public: true })).status).toBe(403)
  })

  it('are never opened by an empty list of verifiers', async () => {
    const { id } = (await accept({ issuerSchemas: [one], verifierSchemas: [] })).body
    await write(ours, 'PATCH', path(`/${id}`), { verifierSchemas: [one] })
    await write(ours, 'PATCH', path(`/${id}`), { verifierSchemas: [] })
    expect(await may(convener, one, 'verifier')).toBe('not_listed')
  })

  it('are removed from all participants, who stay', async () => {
    const other = await theirs.organisation('Other')
    await Promise.all([accept({ issuerSchemas: [one, two] }), accept({ issuerSchemas: [one] }, other)])
    const { body } = await theirs.request(
      'GET',
      `/trust-registries/schema-dids?ids=${[one, three].map(encodeURIComponent)}`,
    )
    expect(body).toEqual([
      { schema: one, dids: expect.arrayContaining([member, other]) },
      { schema: three, dids: [] },
    ])
    expect(await write(ours, 'DELETE', schemaPath(one))).toMatchObject({ status: 200, body: {} })
    expect((await write(ours, 'DELETE', schemaPath(one))).status).toBe(404)
    expect((await schemas()).list.map((row: { id: string }) => row.id)).toEqual([two])
    expect((await ours.request('GET', path(''))).body).toMatchObject({ total: 2 })
    expect(await may(member, two, 'issuer')).toBe('direct')
  })
})

describe('deleting an ecosystem', () => {
  it('ends all rights, refuses its invitations with the reason, and leaves its past readable', async () => {
    const only = await theirs.organisation('Only')
    await accept({ issuerSchemas: [one], verifierSchemas: [two] }, only)
    const { body } = await ours.request('POST', path(''), {})
    const at = await head()
    expect((await theirs.request('DELETE', `/trust-registries/${registry}`)).status).toBe(403)
    expect(await write(ours, 'DELETE', `/trust-registries/${registry}`)).toMatchObject({ status: 200, body: {} })
    expect(await may(only, one, 'issuer')).toBe('unknown_registry')
    expect((await ours.request('GET', `/trust-registries/${registry}`)).status).toBe(404)
    expect((await anyone('GET', `/trust-registries/${registry}/public?at=${at}`)).body).toMatchObject({
      id: registry,
      name,
    })
    const late = { token: body.link.split('?token=')[1], did: member, infoUrl: '' }
    const refused = await theirs.request('POST', '/trust-registries/invitations/accept', late)
    expect(refused).toMatchObject({ status: 400, body: { message: 'The ecosystem of this invitation was deleted' } })
    expect((await anyone('GET', `/dids/${only}/ecosystems`)).body).toEqual({ total: 0, list: [] })
  })
})

describe('the page of an ecosystem', () => {
  const page = (ref: string, at?: number) =>
    anyone('GET', `/trust-registries/${ref}/public${at === undefined ? '' : `?at=${at}`}`)

  it('changes its name, text and slug with the block, and is shown as it was for every earlier one', async () => {
    const before = (await page(registry)).body
    const at = await head()
    const renamed = {
      ...before,
      name: `Renamed ${name}`,
      governanceFramework: '# New rules',
      governanceFrameworkVersion: '2',
    }
    expect(await write(ours, 'PATCH', `/trust-registries/${registry}`, renamed)).toMatchObject({ status: 200 })
    const after = (await page(registry)).body
    expect(after).toMatchObject({ name: renamed.name, governanceFramework: '# New rules' })
    expect(after.govFramework).not.toBe(before.govFramework)
    expect((await page(after.slug)).body.id).toBe(registry)
    expect((await page(before.slug)).body).toEqual(after)
    expect((await page(registry, at)).body).toEqual(before)
    const info = (await anyone('POST', '/ledger/queries/registriesInfo', { filter: { schemaIds: { AnyOf: [one] } } }))
      .status
    expect(info).toBe(200)
  })

  it('is not the other team’s to change', async () => {
    const { body } = await page(registry)
    expect((await theirs.request('PATCH', `/trust-registries/${registry}`, body)).status).toBe(404)
    expect((await theirs.request('POST', path(''), {})).status).toBe(404)
    await accept({})
    expect((await theirs.request('PATCH', `/trust-registries/${registry}`, body)).status).toBe(403)
  })
})
