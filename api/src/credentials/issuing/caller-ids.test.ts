import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inTurn } from '../../../../test/support/in-turn.js'
import type { Json, JsonObject } from '../../formats/json.js'
import { CredentialId, parseCredentialId } from '../../platform/http/identifiers.js'
import { allServed } from '../../platform/testing/all-served.js'
import { type TestTeam, testTeam } from '../../platform/testing/scratch-database.js'
import { degree, pathOf, TestService } from '../loop.testing.js'

let service: TestService
let issuer: string
let other: TestTeam
let otherIssuer: string

beforeAll(async () => {
  service = await TestService.open()
  other = await testTeam(service.scratch.db)
  issuer = await service.did()
  otherIssuer = await service.did(other.apiKey)
})
afterAll(() => service.close())

const vcApiStatus = (credentialId: string, status: boolean, key?: string) =>
  service.call(
    'POST',
    '/vc-api/credentials/status',
    { credentialId, credentialStatus: { type: 'StatusList2021Entry' }, status },
    key,
  )
const asOther = (method: string, url: string, body?: Json) => service.call(method, url, body, other.apiKey)
const issueAsOther = (credential: JsonObject, more: JsonObject = {}) =>
  asOther('POST', '/credentials', { credential: { subject: degree, issuer: otherIssuer, ...credential }, ...more })
const kept = { persist: true, password: 'sesame' }
const publicly = (id: string, password: string, from?: string) => {
  const p = encodeURIComponent(Buffer.from(password).toString('base64'))
  const headers = from === undefined ? {} : { 'x-forwarded-for': from }
  return service.call('GET', `${new URL(id).pathname}?p=${p}`, undefined, '', headers)
}
/** Makes a list one that its owner may change by the ids of credentials, as those of wallets are. */
const delegate = (registry: string, owner: string) =>
  service.scratch.db.transaction('system', (tx) =>
    sql`insert into service.delegatable_registries (registry_id, team_id, owner, created)
      values (${`0x${registry}`}, ${service.team.team}, ${owner}, now()) on conflict do nothing`.execute(tx),
  )
/** Erases what is kept of a credential, and waits for the end of that. */
async function erased(credentialId: string, key?: string): Promise<void> {
  const asked = await service.call('POST', '/data/erasures', { credentialIds: [credentialId] }, key)
  expect(asked.status, JSON.stringify(asked.body)).toBe(200)
  const report = async () => (await service.call('GET', `/data/erasures/${asked.body.id}`, undefined, key)).body
  await expect.poll(async () => (await report()).ended).toEqual(expect.any(String))
}
const revocation = (credentialId: string) => ({ action: 'revoke', credentialId })
const conflict = { status: 409, body: { type: 'conflict' } }

const takes = (schema: unknown): boolean =>
  schema === CredentialId || (typeof schema === 'object' && schema !== null && Object.values(schema).some(takes))
const taking = allServed
  .flatMap(({ operations }) => operations)
  .filter(({ params, querystring, body }) => takes([params, querystring, body]))

describe('an id under our own addresses', () => {
  it("of another team's credential, persisted or not or forgotten, is 409, and the link stays its owner's", async () => {
    const { body: vc } = await service.issue({ subject: degree, issuer }, kept)
    const { body: plain } = await service.issue({ subject: degree, issuer })
    const { body: forgotten } = await service.issue({ subject: degree, issuer }, kept)
    await service.call('DELETE', pathOf(forgotten.id))
    const { body: unsigned } = await service.issue({ subject: degree })
    for (const { id } of [vc, plain, forgotten, unsigned])
      for (const more of [{}, { persist: true, password: 'stolen' }])
        for (const credential of [{ id }, { id, issuer: null }])
          expect(await issueAsOther(credential, credential.issuer === null ? {} : more), id).toMatchObject(conflict)
    expect((await publicly(vc.id, 'sesame')).body).toEqual(vc)
  })

  it('of its own team may be used again, also when nothing is kept under it any more', async () => {
    const { body: vc } = await service.issue({ subject: degree, issuer }, kept)
    const { body: again } = await service.issue({ id: vc.id, subject: { degree: 'Ph.D.' }, issuer }, kept)
    expect(again.id).toBe(vc.id)
    expect((await publicly(vc.id, 'sesame')).body).toEqual(again)
    await service.call('DELETE', pathOf(vc.id))
    const { body: unsigned } = await service.issue({ subject: degree })
    for (const { id } of [vc, unsigned])
      expect(await service.issue({ id, subject: degree, issuer })).toMatchObject({ status: 200, body: { id } })
  })

  it('without a mark, of earlier versions, belongs to its team, and the link shows the older of two copies', async () => {
    const { body: vc } = await service.issue({ subject: degree, issuer }, kept)
    const { body: stranger } = await issueAsOther({}, { persist: true, password: 'sesame' })
    const base = new URL(vc.id).origin
    const old = `${base}/c/${'ab'.repeat(32)}`
    await service.scratch.db.transaction('system', (tx) =>
      sql`update credentials set id = ${old} where id in (${vc.id}, ${stranger.id})`.execute(tx),
    )
    expect(await service.issue({ id: old, subject: degree, issuer })).toMatchObject({ status: 200 })
    const third = await testTeam(service.scratch.db)
    const body = { credential: { id: old, subject: degree } }
    expect(await service.call('POST', '/credentials', body, third.apiKey)).toMatchObject(conflict)
    expect((await publicly(old, 'sesame')).body).toEqual(vc)
  })

  it('that was never given out, or is spelt in another way, is 409 for everybody', async () => {
    const { body: vc } = await service.issue({ subject: degree, issuer }, kept)
    const { body: registry } = await service.call('POST', '/registries', { policy: [issuer] })
    const hex = vc.id.slice(-64)
    const { host, port } = new URL(vc.id)
    const spelt = [
      `HTTP://${host}/c/${hex}`,
      `https://${host}/c/${hex}`,
      `http://u@${host}/c/${hex}`,
      `http://localhost:${port}/c/${hex}`,
      `http://${host}/c/${hex.toUpperCase()}`,
      `http://${host}/c/${hex}/`,
      `http://${host}/c/${hex}?x`,
      `http://${host}/c/${hex}#x`,
      `http://${host}//c/${hex}`,
      `http://${host}/x/../c/${hex}`,
      `http://${host}/%63/${hex}`,
      `http://${host}/c/%${hex.charCodeAt(0).toString(16)}${hex.slice(1)}`,
      `http://${host}/c/${'0'.repeat(64)}`,
      `http://${host}/c/`,
      `http://${host}`,
      `http://${host}/schema-documents/Degree-V1-1.json`,
      `http://${host}/contexts/Degree-V1-1.jsonld`,
      `http://${host}/status-lists/${registry.data.id}`,
      `http://${host}/logos/${hex}`,
      `http://${host}/proof/1`,
    ]
    for (const id of spelt) {
      expect({ id, ...(await service.issue({ id, subject: degree, issuer })) }).toMatchObject({ id, ...conflict })
      expect({ id, ...(await issueAsOther({ id })) }).toMatchObject({ id, ...conflict })
    }
  })

  it("of another team's status list is no status for a credential; its own team may name it", async () => {
    const { body: registry } = await service.call('POST', '/registries', { policy: [issuer] })
    const list = `${new URL((await service.issue({ subject: degree, issuer })).body.id).origin}/status-lists/${registry.data.id}`
    const entry = (statusListCredential: string, id = `${statusListCredential}#1`) => ({
      id,
      type: 'StatusList2021Entry',
      statusPurpose: 'revocation',
      statusListIndex: '1',
      statusListCredential,
    })
    const onLedger = `0x${registry.data.id}`
    const legacy = (ledger: string) => ({ id: `rev-reg:${ledger}:${onLedger}`, type: 'CredentialStatusList2017' })
    const theirs = [
      entry(list),
      entry('https://elsewhere.example/list', `${list}#1`),
      entry(list.toUpperCase()),
      entry(`status-list2021:svc:${onLedger}`, 'urn:example:entry'),
      entry(`Status-List2021:SVC:0x${registry.data.id.toUpperCase()}`, 'urn:example:entry'),
      entry(`status-list2021:svc:0x${'00'.repeat(32)}`, 'urn:example:entry'),
      entry('https://elsewhere.example/list', `status-list2021:svc:${onLedger}`),
      legacy('svc'),
    ]
    for (const status of theirs) expect({ entry: status, ...(await issueAsOther({ status })) }).toMatchObject(conflict)
    for (const status of [entry(`status-list2021:another:${onLedger}`, 'urn:example:entry'), legacy('another')])
      expect(await issueAsOther({ status })).toMatchObject({ status: 200 })
    const status = entry(`status-list2021:svc:${onLedger}`, 'urn:example:entry')
    expect(await service.issue({ subject: degree, issuer, status })).toMatchObject({ status: 200 })
    expect(await service.issue({ subject: degree, issuer, status: entry(list) })).toMatchObject({ status: 200 })
    expect(await issueAsOther({ status: entry('https://elsewhere.example/list') })).toMatchObject({ status: 200 })
  })
})

describe('a status entry of the caller’s own', () => {
  it('decides the status of the credential, which cannot be revoked by its own id', async () => {
    const { body: first } = await service.issue({ subject: degree, issuer }, { revocable: true })
    const status = first.credentialStatus
    const list = `status-list2021:svc:0x${status.statusListCredential.split('/').at(-1)}`
    const issued = [status, { ...status, id: 'urn:example:entry', statusListCredential: list }].map((entry) =>
      service.issue({ subject: degree, issuer, status: entry }),
    )
    const named = (await Promise.all(issued)).map(({ body }) => body)
    const look = async () =>
      Promise.all(
        named.map(async (vc) => [(await service.call('GET', pathOf(vc.id))).body.revoked, await service.verified(vc)]),
      )
    expect(await look()).toEqual(named.map(() => [false, true]))
    const listed = (await service.call('GET', pathOf(named[0].id))).body
    expect([listed.revocationRegistry, listed.index]).toEqual([list.split('0x')[1], status.statusListIndex])
    for (const vc of named) expect((await service.call('POST', `${pathOf(vc.id)}/revoke`)).status).toBe(400)
    for (const { id } of named)
      expect(
        await service.call('POST', `/registries/${list.split('0x')[1]}`, { action: 'revoke', credentialIds: [id] }),
      ).toMatchObject({ status: 409, body: { message: expect.stringContaining('status entry of its own') } })
    const { body: job } = await service.call('POST', `${pathOf(first.id)}/revoke`)
    await service.finished(job.id)
    expect(await look()).toEqual(named.map(() => [true, false]))
  })
})

describe('looking up an id that its caller chose', () => {
  const id = 'urn:example:same-id-of-two-teams'
  /** Every operation that takes the id of a credential in its path, and what the other team does with it. */
  const doings: Record<string, { method: string; url: string }[]> = {
    getCredential: [
      { method: 'GET', url: pathOf(id) },
      { method: 'GET', url: `${pathOf(id)}?password=stranger` },
      { method: 'GET', url: `${pathOf(id)}?password=wrong` },
    ],
    revokeCredential: [{ method: 'POST', url: `${pathOf(id)}/revoke` }],
    unrevokeCredential: [{ method: 'POST', url: `${pathOf(id)}/unrevoke` }],
    // These are tried below with the other team.
    updateRegistry: [],
    changeVcApiStatus: [],
    revokeBatch: [],
    changeDelegatableStatus: [],
    createErasure: [],
    deleteCredential: [{ method: 'DELETE', url: pathOf(id) }],
  }
  it('concerns these operations, each tried below', () => {
    expect(taking.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(doings).sort())
  })

  it('reaches the team’s own credentials only, whatever another team does with the same id', async () => {
    const { body: vc } = await service.issue({ id, subject: degree, issuer }, { ...kept, revocable: true })
    const theirs = await issueAsOther({ id }, { persist: true, password: 'stranger', revocable: true })
    const look = async () => [
      await service.verified(vc),
      (await service.call('GET', `${pathOf(id)}?password=sesame`)).body,
      (await service.call('GET', `/credentials?filter=${id}`)).body,
    ]
    const before = await look()
    expect(before[1].credential).toEqual(vc)
    for (const { method, url } of taking.flatMap(({ operationId }) => doings[operationId] ?? [])) {
      const { body } = await asOther(method, url)
      if (body.credential) expect(body.credential).toEqual(theirs.body)
      expect(JSON.stringify(body)).not.toContain(issuer)
      if (typeof body.id === 'string' && method === 'POST') await service.finished(body.id, other.apiKey)
      expect(await look(), `${method} ${url}`).toEqual(before)
    }
    const registry = vc.credentialStatus.statusListCredential.split('/').at(-1)
    expect((await asOther('POST', `/registries/${registry}`, { credentialIds: [id] })).status).toBe(404)
    expect((await vcApiStatus(id, true, other.apiKey)).status).toBe(404)
    const { body: revoked } = await asOther('POST', '/credentials/batch/revoke', { credentialIds: [id] })
    expect(revoked.data.refused).toMatchObject([{ row: 1, type: 'not_found' }])
    await delegate(registry, issuer)
    for (const more of [{}, { registryId: registry }])
      expect((await asOther('POST', '/delegatableRevocation', { ...revocation(id), ...more })).status).toBe(404)
    await issueAsOther({ id }, { persist: true, password: 'stranger' })
    await erased(id, other.apiKey)
    expect((await asOther('GET', pathOf(id))).status).toBe(404)
    expect(await look()).toEqual(before)
  })
})

describe('the id of a credential', () => {
  const uuid = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'
  const spellings = [uuid, uuid.toUpperCase(), `urn:uuid:${uuid.toUpperCase()}`, `URN:UUID:${uuid}`, `urn:uuid:${uuid}`]
  const signed = `urn:uuid:${uuid}`
  const registryOf = (vc: { credentialStatus: { statusListCredential: string } }): string =>
    vc.credentialStatus.statusListCredential.split('/').at(-1) ?? ''
  const registryBy = async (policy: string[], key?: string): Promise<string> => {
    const { body } = await service.call('POST', '/registries', { policy }, key)
    await service.finished(body.id, key)
    return body.data.id
  }
  const inRegistry = (registry: string, credentialIds: string[], action = 'revoke') =>
    service.call('POST', `/registries/${registry}`, { action, credentialIds })
  const done = async (answer: { status: number; body: { id: string } }) => {
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    expect(await service.finished(answer.body.id)).toBe('finalized')
  }

  it('is understood by every operation in the spellings of issuing, of which each has some in its turn', async () => {
    for (const id of spellings) expect(parseCredentialId(id)).toBe(signed)
    const [, asIssued = ''] = spellings
    const { body: vc } = await service.issue({ id: asIssued, subject: degree, issuer }, { revocable: true })
    expect(vc.id).toBe(signed)
    await delegate(registryOf(vc), issuer)
    const uses: Record<string, (id: string) => Promise<unknown>> = {
      getCredential: async (id) => expect((await service.call('GET', pathOf(id))).body.id).toBe(signed),
      revokeCredential: async (id) => {
        await done(await service.call('POST', `${pathOf(id)}/revoke`))
        expect(await service.verified(vc)).toBe(false)
      },
      unrevokeCredential: async (id) => {
        await done(await service.call('POST', `${pathOf(id)}/unrevoke`))
        expect(await service.verified(vc)).toBe(true)
      },
      changeVcApiStatus: async (id) => {
        for (const isRevoked of [true, false]) {
          expect((await vcApiStatus(id, isRevoked)).status).toBe(200)
          expect(await service.verified(vc)).toBe(!isRevoked)
        }
      },
      revokeBatch: async (id) => {
        await done(await service.call('POST', '/credentials/batch/revoke', { credentialIds: [id] }))
        expect(await service.verified(vc)).toBe(false)
        await done(await service.call('POST', `${pathOf(id)}/unrevoke`))
        expect(await service.verified(vc)).toBe(true)
      },
      changeDelegatableStatus: async (id) => {
        for (const action of ['revoke', 'unrevoke']) {
          const { status, header } = await service.call('POST', '/delegatableRevocation', { ...revocation(id), action })
          expect(status).toBe(200)
          await service.finished(header('accredit-job') ?? '')
          expect(await service.verified(vc)).toBe(action === 'unrevoke')
        }
      },
      updateRegistry: async (id) => {
        await done(await inRegistry(registryOf(vc), [id]))
        expect(await service.verified(vc)).toBe(false)
        await done(await inRegistry(registryOf(vc), [...new Set([id, asIssued])], 'unrevoke'))
        expect(await service.verified(vc)).toBe(true)
      },
      deleteCredential: async (id) => {
        expect((await service.call('DELETE', pathOf(id))).status).toBe(200)
        expect((await service.call('GET', pathOf(signed))).status).toBe(404)
        await service.issue({ id, subject: degree, issuer })
      },
      createErasure: async (id) => {
        await erased(id)
        expect((await service.call('GET', pathOf(signed))).status).toBe(404)
        await service.issue({ id, subject: degree, issuer })
      },
    }
    expect(Object.keys(uses).sort()).toEqual(taking.map(({ operationId }) => operationId).sort())
    for (const [turn, use] of Object.values(uses).entries()) for (const id of inTurn(spellings, turn, 2)) await use(id)
  })

  it('that is written in another way is refused, and nothing is done', async () => {
    const { body: vc } = await service.issue({ subject: degree, issuer }, { revocable: true })
    const { port } = new URL(vc.id)
    const others = [
      `${vc.id} `,
      ` ${vc.id}`,
      `${vc.id}/`,
      `${vc.id}#x`,
      vc.id.replace('127.0.0.1', 'localhost'),
      'nothing',
    ]
    const all = [
      ...others.filter((id) => id !== vc.id),
      `http://localhost:${port}${new URL(vc.id).pathname}`,
      vc.id.toUpperCase(),
    ]
    for (const id of all.filter((id) => id !== vc.id)) {
      const { status, body } = await inRegistry(registryOf(vc), [vc.id, id])
      expect([400, 409], id).toContain(status)
      expect(body.message).toMatch(/URI or a UUID|not given to your team/)
      for (const path of ['', '/revoke', '/unrevoke'])
        expect((await service.call(path ? 'POST' : 'GET', `${pathOf(id)}${path}`)).status, id).toBe(404)
    }
    expect(await service.verified(vc)).toBe(true)
    const theirs = (await issueAsOther({})).body.id
    expect(await inRegistry(registryOf(vc), [theirs])).toMatchObject(conflict)
  })

  it('is refused in a registry in which none of its credentials has its status, kept or forgotten', async () => {
    const elsewhere = await registryBy([issuer])
    for (const isForgotten of [false, true]) {
      const { body: vc } = await service.issue({ subject: degree, issuer }, { revocable: true })
      if (isForgotten) await service.call('DELETE', pathOf(vc.id))
      const answer = await inRegistry(elsewhere, ['urn:example:stranger', vc.id])
      expect(answer).toMatchObject(conflict)
      expect(answer.body.message).toContain(registryOf(vc))
      await done(await inRegistry(registryOf(vc), [vc.id]))
      expect(await service.verified(vc)).toBe(false)
    }
    await done(await inRegistry(elsewhere, ['urn:example:stranger']))
  })

  it('shared by several credentials is revoked in all of them or in none', async () => {
    const id = 'urn:example:shared-by-two-issuers'
    const [first, second] = [await service.did(), await service.did()]
    const issued = (issuer: string, more = { revocable: true }) => service.issue({ id, subject: degree, issuer }, more)
    const [{ body: a }, { body: b }] = [await issued(first), await issued(second)]
    await done(await service.call('POST', `${pathOf(id)}/revoke`))
    expect([await service.verified(a), await service.verified(b)]).toEqual([false, false])
    await done(await service.call('POST', `${pathOf(id)}/unrevoke`))
    await service.call('DELETE', `/dids/${second}?fromBlockchain=false`)
    for (const action of ['revoke', 'unrevoke']) {
      const answer = await service.call('POST', `${pathOf(id)}/${action}`)
      expect(answer).toMatchObject(conflict)
      expect(answer.body.message).toContain(registryOf(b))
      expect(answer.body.message).not.toContain(registryOf(a))
    }
    expect([await service.verified(a), await service.verified(b)]).toEqual([true, true])
    // The other one alone still can be.
    await done(await inRegistry(registryOf(a), [id]))
    expect([await service.verified(a), await service.verified(b)]).toEqual([false, true])
  })

  it('shared with an irrevocable credential is revoked in none', async () => {
    const id = 'urn:example:shared-with-one-for-ever'
    const { body: vc } = await service.issue({ id, subject: degree, issuer }, { revocable: true })
    await service.issue({ id, subject: degree, issuer })
    const answer = await service.call('POST', `${pathOf(id)}/revoke`)
    expect(answer).toMatchObject({ status: 400, body: { type: 'invalid_request' } })
    expect(answer.body.message).toContain(registryOf(vc))
    expect(await service.verified(vc)).toBe(true)
  })
})

describe('guessing the password of a persisted credential', () => {
  const wrong = { status: 401, body: { status: 401, type: 'wrong_password' } }
  const opened = (id: string, password: string, key = service.team.apiKey) =>
    service.call('GET', `${pathOf(id)}?password=${password}`, undefined, key)

  it('with the key of its team, a wrong one is 401, the sixth in a minute 429, and without one it is not shown', async () => {
    const { body: vc } = await service.issue({ subject: degree, issuer }, kept)
    expect((await service.call('GET', pathOf(vc.id))).body).toMatchObject({ persist: true, credential: null })
    expect((await opened(vc.id, 'sesame')).body.credential).toEqual(vc)
    for (let i = 0; i < 5; i++) expect(await opened(vc.id, `wrong${i}`)).toMatchObject(wrong)
    expect(await opened(vc.id, 'sesame')).toMatchObject({ status: 429, body: { type: 'rate_limited' } })
  })

  it('with the right password at once, as often as one likes, is no guessing', async () => {
    const { body: vc } = await service.issue({ subject: degree, issuer }, kept)
    const answers = await Promise.all(Array.from({ length: 8 }, () => opened(vc.id, 'sesame')))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  })

  it('a password without a persisted copy is 400, and of several copies the newest opens', async () => {
    const { body: plain } = await service.issue({ subject: degree, issuer })
    expect(await opened(plain.id, 'sesame')).toMatchObject({ status: 400, body: { type: 'invalid_request' } })
    const id = 'urn:example:persisted-once'
    const { body: vc } = await service.issue({ id, subject: degree, issuer, issuanceDate: '2020-01-01' }, kept)
    await service.issue({ id, subject: degree, issuer })
    expect((await service.call('GET', pathOf(id))).body.persist).toBe(false)
    const { body } = await opened(id, 'sesame')
    expect([body.persist, body.issuanceDate.slice(0, 4), body.credential]).toEqual([true, '2020', vc])
  })

  it('from one network stops that network: neither its owner nor anybody else', async () => {
    const { body: vc } = await service.issue({ subject: degree, issuer }, kept)
    for (let i = 0; i < 5; i++)
      expect((await publicly(vc.id, `wrong${i}`, `2001:db8:0:1::${i + 1}`)).status, String(i)).toBe(404)
    expect((await publicly(vc.id, 'sesame', '2001:db8:0:1::ffff')).status).toBe(429)
    expect((await publicly(vc.id, 'sesame', '2001:db8:0:2::1')).body).toEqual(vc)
    expect((await publicly(vc.id, 'sesame', '198.51.100.1')).body).toEqual(vc)
    expect((await opened(vc.id, 'sesame')).body.credential).toEqual(vc)
  })

  it('from many networks ends after thirty wrong ones, and its owner opens it all the same', {
    timeout: 60_000,
  }, async () => {
    const { body: vc } = await service.issue({ subject: degree, issuer }, kept)
    const statuses = []
    for (let i = 0; i < 31; i++) statuses.push((await publicly(vc.id, 'wrong', `198.51.100.${i}`)).status)
    expect(statuses).toEqual([...Array<number>(30).fill(404), 429])
    expect((await publicly(vc.id, 'sesame', '203.0.113.9')).status).toBe(429)
    expect((await opened(vc.id, 'sesame')).body.credential).toEqual(vc)
    // Nor is another credential stopped.
    const { body: another } = await service.issue({ subject: degree, issuer }, kept)
    expect((await publicly(another.id, 'sesame', '198.51.100.1')).body).toEqual(another)
  })
})
