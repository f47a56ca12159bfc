import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../formats/json.js'
import { STREAM_CHUNK } from '../platform/http/streamed-list.js'
import { testTeam } from '../platform/testing/scratch-database.js'
import { forgetCounts } from '../revocation/automatic-registry.js'
import { degree, pathOf, TestService } from './loop.testing.js'

let service: TestService
let issuer: string

beforeAll(async () => {
  service = await TestService.open()
  issuer = await service.did()
})
afterAll(() => service.close())

const verified = (vc: Json) => service.verified(vc)

describe('the kept metadata', () => {
  it('keeps the ids of subjects only where the team asked for that', async () => {
    const listed = async (id: string) => {
      await service.issue({ id, subject: { id: 'did:example:unasked', ...degree }, issuer })
      return (await service.call('GET', `/credentials?filter=${id}`)).body[0].subjectRef
    }
    expect(await listed('urn:unasked:a')).toBe('')
    expect((await service.call('GET', '/credentials?filter=did:example:unasked')).body).toEqual([])
    await service.storeSubjectRefs()
    expect(await listed('urn:unasked:b')).toBe('did:example:unasked')
    await service.storeSubjectRefs(false)
    expect(await listed('urn:unasked:c')).toBe('')
  })

  it('lists the newest first, filters by text, and pages', async () => {
    await service.storeSubjectRefs()
    const issued = []
    for (const id of ['urn:list:a', 'urn:list:b', 'urn:list:c'])
      issued.push((await service.issue({ id, subject: { id: 'did:example:me', ...degree }, issuer })).body)
    const { body } = await service.call('GET', '/credentials?filter=urn:list')
    expect(body.map(({ id }: { id: string }) => id)).toEqual(['urn:list:c', 'urn:list:b', 'urn:list:a'])
    expect(body[0]).toEqual({
      id: 'urn:list:c',
      issuerKey: `${issuer}#keys-1`,
      issuerName: null,
      type: 'VerifiableCredential',
      revocationRegistry: '',
      revoked: false,
      createdAt: expect.any(String),
      expiryDate: null,
      expirationDate: null,
      issuanceDate: expect.any(String),
      byteSize: Buffer.byteLength(JSON.stringify(issued[2])),
      persist: false,
      index: '',
      subjectRef: 'did:example:me',
      subjectId: 'did:example:me',
      whitelabel: null,
      algorithm: 'ed25519',
      credential: null,
    })
    expect((await service.call('GET', '/credentials?filter=urn:list&offset=1&limit=1')).body).toHaveLength(1)
    expect((await service.call('GET', '/credentials?filter=100%25_')).body).toEqual([])
    for (const query of ['limit=101', 'limit=0', 'offset=-1', 'offset=x'])
      expect((await service.call('GET', `/credentials?${query}`)).status).toBe(400)
  })

  it('sorts by what is asked for, the newest of equal ones first, and tells how many there are', async () => {
    await service.storeSubjectRefs()
    const given = [
      { id: 'urn:sorted:b', type: 'Degree', issuanceDate: '2021-01-01T00:00:00Z', who: 'did:example:2' },
      { id: 'urn:sorted:a', type: 'Degree', issuanceDate: '2023-01-01T00:00:00Z', who: 'did:example:3' },
      { id: 'urn:sorted:c', type: 'Award', issuanceDate: '2022-01-01T00:00:00Z', who: 'did:example:1' },
    ]
    for (const { who, ...one } of given) await service.issue({ ...one, subject: { id: who, ...degree }, issuer })
    const page = async (query: string) => {
      const { body } = await service.call('GET', `/credentials?filter=urn:sorted&newFormat=true&${query}`)
      return [body.total, body.list.map(({ id }: { id: string }) => id.slice(-1)).join('')]
    }
    expect(await page('')).toEqual([3, 'cab'])
    for (const [sort, ascending, descending] of [
      ['createdAt', 'bac', 'cab'],
      ['id', 'abc', 'cba'],
      ['issuanceDate', 'bca', 'acb'],
      ['type', 'cab', 'abc'],
      ['subjectRef', 'cba', 'abc'],
    ]) {
      expect(await page(`sort=${sort}&order=asc`), sort).toEqual([3, ascending])
      expect(await page(`sort=${sort}`), sort).toEqual([3, descending])
    }
    expect(await page('sort=id&order=asc&offset=1&limit=1')).toEqual([3, 'b'])
    for (const query of ['sort=team_id', 'order=up', 'newFormat=2'])
      expect((await service.call('GET', `/credentials?${query}`)).status, query).toBe(400)
    const ofStream = { accept: 'text/csv' }
    for (const query of ['sort=id', 'order=asc', 'newFormat=true'])
      expect(await service.call('GET', `/credentials?${query}`, undefined, undefined, ofStream), query).toMatchObject({
        status: 400,
      })
  })

  it('tells more of them than are read at a time, each once, in the order of pages', async () => {
    const { body: vc } = await service.issue({ id: 'urn:many:0', subject: degree, issuer })
    const client = new pg.Client({ connectionString: service.scratch.adminUrl })
    await client.connect()
    const { rows } = await client.query<{ name: string }>(
      `select column_name as name from information_schema.columns
        where table_schema = 'service' and table_name = 'credentials' and column_name not in ('n', 'id')`,
    )
    const names = rows.map(({ name }) => client.escapeIdentifier(name)).join(', ')
    await client.query(
      `insert into service.credentials (id, ${names}) select 'urn:many:' || one, ${names}
        from service.credentials, generate_series(1, $2::int) one where id = $1 order by one`,
      [vc.id, 2 * STREAM_CHUNK],
    )
    await client.end()
    const streamed = await service.app.inject({
      url: '/credentials?filter=urn:many:',
      headers: { accept: 'application/x-ndjson', 'svc-api-token': service.team.apiKey },
    })
    const ids = streamed.body
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).id)
    expect(ids).toEqual(Array.from({ length: 2 * STREAM_CHUNK + 1 }, (_, n) => `urn:many:${2 * STREAM_CHUNK - n}`))
  })

  it('a persisted credential opens with its password only, for its team and at its public address', async () => {
    const { body: vc } = await service.issue({ subject: degree, issuer }, { persist: true, password: 'sesame' })
    expect((await service.call('GET', pathOf(vc.id))).body).toMatchObject({ persist: true, credential: null })
    expect((await service.call('GET', `${pathOf(vc.id)}?password=sesame`)).body.credential).toEqual(vc)
    expect((await service.call('GET', `${pathOf(vc.id)}?password=wrong`)).status).toBe(401)
    const address = (password: string) =>
      `${new URL(vc.id).pathname}?p=${encodeURIComponent(Buffer.from(password).toString('base64'))}`
    const open = await service.call('GET', address('sesame'), undefined, '')
    expect(open.body).toEqual(vc)
    expect(open.header('cache-control')).toBe('no-store')
    expect((await service.call('GET', address('wrong'), undefined, '')).status).toBe(404)
    for (let i = 0; i < 5; i++) await service.call('GET', address('wrong'), undefined, '')
    expect((await service.call('GET', address('sesame'), undefined, '')).status).toBe(429)
  })

  it('deleting forgets it and its copy, and revokes nothing', async () => {
    const { body: vc } = await service.issue({ subject: degree, issuer }, { revocable: true })
    expect(await service.call('DELETE', `${pathOf(vc.id)}?password=x`)).toMatchObject({ status: 200, body: {} })
    for (const [method, url] of [
      ['GET', pathOf(vc.id)],
      ['DELETE', pathOf(vc.id)],
      ['POST', `${pathOf(vc.id)}/revoke`],
    ] as const)
      expect((await service.call(method, url)).status).toBe(404)
    expect(await verified(vc)).toBe(true)
  })

  it("another team's credentials, DIDs and registries are not there", async () => {
    const other = await testTeam(service.scratch.db)
    const { body: vc } = await service.issue({ subject: degree, issuer }, { revocable: true })
    const registry = vc.credentialStatus.statusListCredential.split('/').at(-1)
    const asOther = (method: string, url: string, body?: Json) => service.call(method, url, body, other.apiKey)
    expect((await asOther('GET', '/credentials')).body).toEqual([])
    expect((await asOther('GET', '/registries')).body).toEqual([])
    for (const [method, url, body] of [
      ['GET', pathOf(vc.id)],
      ['DELETE', pathOf(vc.id)],
      ['POST', `${pathOf(vc.id)}/revoke`],
      ['POST', `${pathOf(vc.id)}/unrevoke`],
      ['POST', `/registries/${registry}`, { credentialIds: [vc.id] }],
      ['DELETE', `/registries/${registry}`],
      ['POST', '/credentials', { credential: { issuer, subject: degree } }],
    ] as const) {
      const { status, body: answer } = await asOther(method, url, body === undefined ? undefined : (body as Json))
      expect({ method, url, status, type: answer.type }).toEqual({ method, url, status: 404, type: 'not_found' })
    }
    expect(await verified(vc)).toBe(true)
  })
})

describe('revoking', () => {
  it('takes effect, shows in the list, and is taken back; twice is once', async () => {
    const { body: vc } = await service.issue({ subject: degree, issuer }, { revocable: true })
    expect(vc.credentialStatus).toMatchObject({
      type: 'StatusList2021Entry',
      statusPurpose: 'revocation',
      statusListIndex: expect.stringMatching(/^\d+$/),
    })
    for (const [action, revoked] of [
      ['revoke', true],
      ['revoke', true],
      ['unrevoke', false],
      ['unrevoke', false],
    ] as const) {
      const { status, body } = await service.call('POST', `${pathOf(vc.id)}/${action}`)
      expect(status).toBe(200)
      expect(await service.finished(body.id)).toBe('finalized')
      expect(await verified(vc)).toBe(!revoked)
      expect((await service.call('GET', pathOf(vc.id))).body.revoked).toBe(revoked)
    }
  })

  it('an id used several times stands for all of its credentials', async () => {
    const id = 'http://example.com/39'
    const issued = await Promise.all(
      [1, 2, 3].map(() => service.issue({ id, subject: degree, issuer }, { revocable: true })),
    )
    expect(new Set(issued.map(({ body }) => body.credentialStatus.statusListIndex)).size).toBe(3)
    const { body } = await service.call('POST', `${pathOf(id)}/revoke`)
    await service.finished(body.id)
    for (const answer of issued) expect(await verified(answer.body)).toBe(false)
  })

  it('a credential issued without a status can never be revoked, even if a registry lists its id', async () => {
    const { body: vc } = await service.issue({ subject: degree, issuer })
    const refused = { status: 400, body: { type: 'invalid_request' } }
    expect(await service.call('POST', `${pathOf(vc.id)}/revoke`)).toMatchObject(refused)
    const { body: registry } = await service.call('POST', '/registries', { policy: [issuer] })
    const named = await service.call('POST', `/registries/${registry.data.id}`, { credentialIds: [vc.id] })
    expect(await service.finished(named.body.id)).toBe('finalized')
    for (const action of ['revoke', 'unrevoke'])
      expect(await service.call('POST', `${pathOf(vc.id)}/${action}`)).toMatchObject(refused)
  })

  it('an id of two issuers can be revoked in the registry of the one that is left when the other is gone', async () => {
    const [gone, stays] = [await service.did(), await service.did()]
    const id = 'urn:two-issuers:1'
    const issued = []
    for (const one of [gone, stays])
      issued.push((await service.issue({ id, subject: degree, issuer: one }, { revocable: true })).body)
    expect(await service.finished((await service.call('DELETE', `/dids/${gone}`)).body.id)).toBe('finalized')
    expect((await service.call('POST', `${pathOf(id)}/revoke`)).status).toBe(409)
    const registry = issued[1].credentialStatus.statusListCredential.split('/').at(-1)
    const { status, body } = await service.call('POST', `/registries/${registry}`, { credentialIds: [id] })
    expect(status).toBe(200)
    expect(await service.finished(body.id)).toBe('finalized')
    expect(await Promise.all(issued.map(verified))).toEqual([true, false])
  })

  it('a credential of a removed registry is shown as no longer valid', async () => {
    const { body: registry } = await service.call('POST', '/registries', { policy: [issuer] })
    const { body: vc } = await service.issue({ subject: degree, issuer, status: registry.data.id })
    await service.finished(registry.id)
    const shown = async () => [
      (await service.call('GET', pathOf(vc.id))).body.revoked,
      (await service.call('GET', `/credentials?filter=${encodeURIComponent(vc.id)}`)).body[0].revoked,
    ]
    expect(await shown()).toEqual([false, false])
    const removed = await service.call('DELETE', `/registries/${registry.data.id}`)
    expect(await service.finished(removed.body.id)).toBe('finalized')
    expect(await shown()).toEqual([true, true])
    expect(await service.call('POST', `${pathOf(vc.id)}/revoke`)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('was removed') },
    })
  })

  it('a credential that cannot be signed leaves no registry behind', async () => {
    const did = await service.did()
    const answer = await service.issue({ subject: { 'a/b': 1 }, issuer: did }, { revocable: true })
    expect(answer.status).toBe(400)
    expect((await service.call('GET', `/registries?did=${did}`)).body).toEqual([])
  })

  it('the next registry of an issuer opens when four fifths of the first are used', async () => {
    const did = await service.did()
    const registryOf = async () =>
      (await service.issue({ subject: degree, issuer: did }, { revocable: true })).body.credentialStatus
        .statusListCredential
    const first = await registryOf()
    const id = `0x${first.split('/').at(-1)}`
    // A short list, filled by hand: a million rows would show nothing more.
    const client = new pg.Client({ connectionString: service.scratch.adminUrl })
    await client.connect()
    await client.query('update service.revocation_registries set length = 1000 where id = $1', [id])
    const fill = (entries: number) =>
      client.query(
        `insert into service.status_entries (registry_id, index, team_id, revocation_id)
         select $1, n, $2, '0x' || lpad(to_hex(n), 64, '0') from generate_series(0, 999) n
         where not exists (select from service.status_entries where registry_id = $1 and index = n)
         limit $3 - (select count(*) from service.status_entries where registry_id = $1)`,
        [id, service.team.team, entries],
      )
    await fill(799)
    forgetCounts()
    expect(await registryOf()).toBe(first)
    await fill(800)
    await client.end()
    forgetCounts()
    const second = await registryOf()
    expect(second).not.toBe(first)
    expect(await registryOf()).toBe(second)
  })

  it('one registry serves all revocable credentials of an issuer, also those issued at the same moment first', async () => {
    const did = await service.did()
    const issued = await Promise.all(
      [1, 2, 3, 4].map(() => service.issue({ subject: degree, issuer: did }, { revocable: true })),
    )
    expect(new Set(issued.map(({ body }) => body.credentialStatus.statusListCredential)).size).toBe(1)
    expect((await service.call('GET', `/registries?did=${did}`)).body).toHaveLength(1)
    expect(issued.some((answer) => answer.header('accredit-job') !== undefined)).toBe(true)
  })
})

describe('a status entry that names a registry only', () => {
  const statusOf = async (registryId: string, id: string) => {
    const status = { id: `rev-reg:dock:0x${registryId}`, type: 'CredentialStatusList2017' }
    const { body: vc } = await service.issue({ id, subject: degree, issuer, status })
    const { checks } = (await service.call('POST', '/verify', vc)).body
    return checks.find(({ check }: { check: string }) => check === 'status')
  }

  it('is checked by the credential’s id in a registry of the service, and is unavailable in any other', async () => {
    const { id, data } = (await service.call('POST', '/registries', { policy: [issuer] })).body
    await service.finished(id)
    expect(await statusOf(data.id, 'urn:older:1')).toMatchObject({ passed: true })
    const revoked = await service.call('POST', `/registries/${data.id}`, { credentialIds: ['urn:older:1'] })
    expect(await service.finished(revoked.body.id)).toBe('finalized')
    expect(await statusOf(data.id, 'urn:older:1')).toMatchObject({ passed: false, reason: 'revoked' })
    expect(await statusOf(data.id, 'urn:older:2')).toMatchObject({ passed: true })

    const elsewhere = '6a'.repeat(32)
    const kind = { StatusList: { length: 131_072 } }
    const params = { registryId: `0x${elsewhere}`, policy: [issuer], addOnly: false, kind }
    const made = await service.call('POST', '/ledger/actions', { did: issuer, action: 'Revocation.create', params })
    expect(await service.finished(made.body.id)).toBe('finalized')
    expect(await statusOf(elsewhere, 'urn:older:1')).toMatchObject({ passed: false, reason: 'unavailable' })
  })
})
