import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { signingKey } from '../../dids/did.store.js'
import type { Json, JsonObject } from '../../formats/json.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { outgoingEvents } from '../../platform/testing/scratch-database.js'
import { type Answer, degree, pathOf, type TestService } from '../loop.testing.js'
import { openIssuingTeam, strangeEntry } from './issuing-team.testing.js'

let service: TestService
let issuer: string
let schema: string
const world = forAllTests(openIssuingTeam)
beforeAll(() => {
  ;({ service, issuer, schema } = world())
})

const verified = (vc: Json) => service.verified(vc)

describe('issuing', () => {
  it.each<[string, Json, string, Json]>([
    ['credentialSubject', degree, 'subject', { ...degree, year: 1999 }],
    ['type', 'DegreeCredential', 'types', ['DiplomaCredential']],
    ['@context', ['https://www.w3.org/2018/credentials/v1'], 'context', [{ degree: 'https://v.example/degree' }]],
    ['credentialSchema', 'https://v.example/a', 'schema', 'https://v.example/b'],
    ['credentialStatus', strangeEntry({}), 'status', strangeEntry({ statusListIndex: '2' })],
  ])(
    'refuses %s where %s says something else, and takes it where it says the same',
    async (name, value, other, differing) => {
      const issue = (more: JsonObject) =>
        service.call('POST', '/credentials', { credential: { issuer, subject: degree, ...more }, revocable: false })
      const refused = await issue({ [name]: value, [other]: differing })
      expect(refused.status).toBe(400)
      expect(refused.body.message).toContain(`${name} and ${other} are two names of one member`)
      expect((await issue({ [name]: value, [other]: value })).body.message ?? '').not.toContain('two names')
    },
  )

  it.each<[string, () => JsonObject]>([
    ['native names', () => ({ subject: degree, issuer })],
    [
      'W3C names',
      () => ({
        '@context': ['https://www.w3.org/2018/credentials/v1'],
        type: ['VerifiableCredential', 'Degree'],
        credentialSubject: degree,
        issuer: { id: issuer, name: 'U' },
      }),
    ],
    ['a schema', () => ({ subject: { id: 'did:example:x', ...degree, tags: ['b', 'a'] }, issuer, schema })],
    [
      'a W3C schema',
      () => ({ subject: degree, issuer, credentialSchema: { id: schema, type: 'JsonSchemaValidator2018' } }),
    ],
    ['a subject id that is no URI', () => ({ subject: { id: '1234', ...degree }, issuer })],
    ['a placeholder as subject id', () => ({ subject: { id: '{{holder_did}}', ...degree }, issuer })],
    [
      'several subjects and the value 0',
      () => ({
        subject: [
          { id: 'did:example:a', zero: 0 },
          { id: 'did:example:b', no: false },
        ],
        issuer,
      }),
    ],
    ['a bare UUID as id', () => ({ id: '3A4B5C6D-0000-4000-8000-000000000000', subject: degree, issuer })],
    [
      'a context of somebody else',
      () => ({
        context: 'https://nowhere.invalid/context',
        subject: { ...degree, nested: { deep: [1, { a: 2 }] } },
        issuer,
      }),
    ],
    ['a context of its own', () => ({ context: [{ degree: 'https://v.example/degree' }], subject: degree, issuer })],
    [
      'blank members',
      () => ({ id: '', type: [], context: '', schema: null, status: '', subject: degree, issuer, expirationDate: '' }),
    ],
    [
      'members of delegation chains and evidence',
      () => ({
        subject: degree,
        issuer,
        rootCredentialId: 'urn:x:1',
        evidence: [{ type: 'Exam', mark: 1 }],
        name: 'n',
        description: 'd',
      }),
    ],
    [
      'a type with a space and one from a schema',
      () => ({ subject: degree, issuer, schema, type: 'University Degree' }),
    ],
  ])('signs what verifies: %s', async (_, credential) => {
    const { status, body } = await service.issue(credential())
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body['@context'][0]).toBe('https://www.w3.org/2018/credentials/v1')
    expect(body.type.filter((type: string) => type === 'VerifiableCredential')).toHaveLength(1)
    expect(body.id).toMatch(/^(http.*\/c\/[0-9a-f]{64}|urn:uuid:3a4b5c6d-.*)$/)
    expect(await verified(body)).toBe(true)
  })

  it('fills type and issuer: the schema names the type, the profile the issuer, what the caller says stands', async () => {
    const did = await service.did()
    await service.call('POST', '/profiles', { did, name: 'Bilkent', description: 'A university' })
    const { body } = await service.issue({ subject: degree, issuer: did, schema })
    expect(body.type).toEqual(['VerifiableCredential', 'UniversityDegree'])
    expect(body.issuer).toEqual({ id: did, name: 'Bilkent', description: 'A university' })
    const own = await service.issue({ subject: degree, issuer: { id: did, name: 'Own', more: 1 } })
    expect(own.body.issuer).toEqual({ id: did, name: 'Own', description: 'A university', more: 1 })
    expect((await service.issue({ subject: degree, issuer })).body.issuer).toBe(issuer)
    expect((await service.call('GET', pathOf(body.id))).body.issuerName).toBe('Bilkent')
  })

  it('says so where the issuer is there and none of its keys can sign', async () => {
    const did = await service.did()
    await service.scratch.db.transaction('system', (tx) =>
      sql`update did_keys set relationships = 4 where did = ${did} and kind = 'Ed25519'`.execute(tx),
    )
    const { status, body } = await service.issue({ subject: degree, issuer: did })
    const message = `None of the keys of ${did} that are here can sign credentials: that takes an Ed25519 key for assertionMethod`
    expect({ status, body }).toEqual({ status: 400, body: { status: 400, type: 'invalid_request', message } })
    const stranger = await service.issue({ subject: degree, issuer: 'did:svc:11111111111111111111111111111111' })
    expect(stranger.status).toBe(404)
  })

  it('tells web hooks of it with the credential itself', async () => {
    const { body } = await service.issue({ subject: degree, issuer })
    const events = await outgoingEvents(service.scratch, service.team.team)
    const byteSize = Buffer.byteLength(JSON.stringify(body))
    const data = { id: body.id, signingOps: 1, byteSize, key: `${issuer}#keys-1`, credential: body }
    expect(events.slice(-2)).toEqual(['credential_create', 'credential_issued'].map((event) => ({ event, data })))
  })

  it('keeps nothing of it for web hooks when it is deleted', async () => {
    const { body } = await service.issue({ subject: degree, issuer })
    const isKept = async () =>
      JSON.stringify(await outgoingEvents(service.scratch, service.team.team)).includes(body.id)
    expect(await isKept()).toBe(true)
    expect((await service.call('DELETE', `/credentials/${encodeURIComponent(body.id)}`)).status).toBe(200)
    expect(await isKept()).toBe(false)
  })

  it('takes full dates as midnight in UTC, past and equal dates too', async () => {
    const dates = { issuanceDate: '2020-01-31', expirationDate: '2020-02-01' }
    const { body } = await service.issue({ subject: degree, issuer, ...dates })
    expect([body.issuanceDate, body.expirationDate]).toEqual(['2020-01-31T00:00:00Z', '2020-02-01T00:00:00Z'])
    const equal = { issuanceDate: '2030-01-01T00:00:00Z', expirationDate: '2030-01-01T00:00:00Z' }
    expect((await service.issue({ subject: degree, issuer, ...equal })).body).toMatchObject(equal)
  })

  it('with ed25519-2018, did:key, and without a key of its own when no issuer is named', async () => {
    const old = await service.issue({ subject: degree, issuer }, { algorithm: 'ed25519-2018' })
    expect(old.body.proof).toMatchObject({ type: 'Ed25519Signature2018', jws: expect.stringContaining('..') })
    expect(await verified(old.body)).toBe(true)
    const { body: key } = await service.call('POST', '/dids', { type: 'key' })
    expect(await verified((await service.issue({ subject: degree, issuer: key.did })).body)).toBe(true)
    const unsigned = await service.issue({ subject: degree, schema })
    expect(unsigned).toMatchObject({ status: 200, body: { credentialSubject: degree } })
    expect(unsigned.body).not.toHaveProperty('proof')
    expect(unsigned.header('accredit-unsigned')).toBe('true')
    expect(old.header('accredit-unsigned')).toBeUndefined()
  })

  it('is forgotten with the key of its team, and a password that is sent is named', async () => {
    const { body } = await service.issue({ subject: degree, issuer })
    const answer = await service.call('DELETE', `${pathOf(body.id)}?password=sesame`)
    expect([answer.status, answer.header('accredit-ignored')]).toEqual([200, '?password'])
  })

  it.each([
    [{ expirationDate: '2031-01-01T00:00:00Z' }, '2031-01-01T00:00:00.000Z'],
    [{ validUntil: '2032-01-01T00:00:00Z' }, '2032-01-01T00:00:00.000Z'],
    [{ expirationDate: '2031-01-01T00:00:00Z', validUntil: '2032-01-01T00:00:00Z' }, '2031-01-01T00:00:00.000Z'],
    [{ expirationDate: '2033-01-01T00:00:00Z', validUntil: '2032-01-01T00:00:00Z' }, '2032-01-01T00:00:00.000Z'],
    [{}, null],
  ])('is listed to end when it ends by its own words, %j', async (ends, expected) => {
    const { body } = await service.issue({ subject: degree, issuer, ...ends })
    expect((await service.call('GET', pathOf(body.id))).body.expirationDate ?? null).toEqual(expected)
  })

  it('signs with the newest key when it was rotated while the first registry was on its way', async () => {
    const did = await service.did()
    const body = { credential: { subject: degree, issuer: did }, revocable: true }
    let issuing: Promise<Answer> | undefined
    await service.scratch.db.transaction('system', async (tx) => {
      // Nothing leaves the outbox while this lock is held.
      await sql`select pg_advisory_xact_lock(7302103)`.execute(tx)
      issuing = service.call('POST', '/credentials', body, undefined, { 'idempotency-key': 'rotated' })
      const registries = async () => (await service.call('GET', `/registries?did=${did}`)).body
      await expect.poll(registries).toHaveLength(1)
      // A crash now leaves a registry only: a retry with the same key must be able to go on.
      const claimed = await tx
        .selectFrom('idempotency_keys')
        .select('state')
        .where('team_id', '=', service.team.team)
        .execute()
      expect(claimed).toEqual([{ state: 'running' }])
      expect((await service.call('PATCH', `/dids/${did}`, { keyType: 'ed25519' })).status).toBe(200)
    })
    const answer = await issuing
    expect(answer?.status).toBe(200)
    const key = await service.scratch.db.read('system', (reader) => signingKey(reader, did))
    expect(answer?.body.proof.verificationMethod).toBe(key?.verificationMethod)
    const audited = await service.scratch.db.read('system', (reader) =>
      reader.selectFrom('audit').select('action').where('subject', '=', answer?.body.id).execute(),
    )
    expect(audited).toEqual([{ action: 'issueCredential' }])
  })

  it('accepts anchors and distribution, and answers that nothing is delivered', async () => {
    const more = { anchor: true, distribute: true, recipientEmail: 'a@example.org' }
    const answer = await service.issue({ subject: degree, issuer }, more)
    expect([answer.status, answer.header('accredit-distribution')]).toEqual([200, expect.stringMatching(/^none /)])
    expect((await service.issue({ subject: degree, issuer })).header('accredit-distribution')).toBeUndefined()
  })
})

it('without a mail server a credential that is to be delivered is issued, and the answer says so', async () => {
  const more = { distribute: true, recipientEmail: 'ada@example.org' }
  const answer = await service.issue({ issuer: await service.did(), subject: degree }, more)
  expect(answer.status).toBe(200)
  expect(answer.header('accredit-distribution')).toBe('none (no mail server is configured)')
})
