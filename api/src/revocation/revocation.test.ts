import { schemaId } from '@accredit/chain'
import { describe, expect, it } from 'vitest'
import { openChange } from '../dids/changes/open-jobs.store.js'
import { isUsable } from '../dids/did.store.js'
import type { Json } from '../formats/json.js'
import { resolveAt } from '../ledger/read/at.js'
import { revocationRegistryAt } from '../ledger/read/status-list.js'
import type { SignerDoor } from '../ledger/write/signer-door.js'
import { systemRandom } from '../platform/process/random.js'
import { bookIndexes, findEntries } from '../status/entries.store.js'
import { USUAL_TERMS } from '../status/list-terms.js'
import { revocationIdOf } from '../status/revocation-id.js'
import { bitAt } from '../status/status-list/encoded-list.js'
import { statusList } from '../status/status-list/index.js'
import { listSigner } from './list-signer.js'
import { bits, revocationWorld } from './revocation.testing.js'

const world = revocationWorld()
const { made, change, listOf } = world

describe('registries', () => {
  it('are made, listed newest first, filtered and read, with or without 0x', async () => {
    const answer = await made({
      policy: [world.did, 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'],
      registryType: 'StatusList2021Entry',
    })
    const { id, policy, type } = answer.body.data
    expect(id).toMatch(/^[0-9a-f]{64}$/)
    expect(policy).toEqual({
      type: 'OneOf',
      policy: [world.did, 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'],
      addOnly: false,
    })
    expect(type).toBe('StatusList2021Entry')
    const ids = async (query: string) =>
      (await world.service.call('GET', `/registries${query}`)).body.map((row: { id: string }) => row.id)
    // Other tests make registries of the same team.
    const all = await ids('')
    expect(all.filter((one: string) => [id, world.registry].includes(one))).toEqual([id, world.registry])
    expect(await ids(`?did=${policy.policy[1]}`)).toEqual([id])
    expect(await ids('?did=did:key:nobody')).toEqual([])
    expect(await ids('?type=CredentialStatusList2017')).not.toContain(id)
    expect(await ids('?type=StatusList2021Entry')).toContain(id)
    expect(await ids('?offset=1&limit=1')).toEqual([all[1]])
    const record = await world.service.call('GET', `/registries/${id}`)
    expect(record.body).toEqual({
      id,
      policy_and_type: policy,
      purpose: 'revocation',
      ttlSeconds: 300,
      registry_type: type,
      created_at: expect.any(String),
      job_id: answer.body.id,
    })
    expect((await world.service.call('GET', `/registries/0x${id.toUpperCase()}`)).body).toEqual(record.body)
    const head = (await world.service.call('GET', '/ledger/status', undefined, '')).body.indexed.block
    const atHead = await world.service.call('GET', `/registries/${id}?at=${head}`)
    expect(atHead.body.policy_and_type.policy.toSorted()).toEqual(policy.policy.toSorted())
    expect((await world.service.call('GET', `/registries/${id}?at=1`)).status).toBe(404)
  })

  it.each<[string, () => Json, string | undefined]>([
    ['no policy', () => ({}), undefined],
    ['an empty policy', () => ({ policy: [] }), undefined],
    ['a DID twice', () => ({ policy: [world.did, world.did] }), undefined],
    [
      'none of your DIDs',
      () => ({ policy: ['did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'] }),
      'unsupported_policy',
    ],
    ['something that is no DID', () => ({ policy: [world.did, 'did:nope:nope-nope'] }), 'invalid_request'],
    [
      'sixteen DIDs',
      () => ({ policy: Array.from({ length: 16 }, (_, i) => `did:svc:${i}${'1'.repeat(40)}`) }),
      undefined,
    ],
    ['an unknown type', () => ({ policy: [world.did], type: 'X' }), 'invalid_request'],
  ])('are refused with %s', async (_, body, type) => {
    expect(await made(body())).toMatchObject({ status: 400, body: { status: 400, ...(type && { type }) } })
  })

  it.each([{ type: '' }, { registryType: '' }, { type: null, registryType: null }])(
    'take a blank type for none: %j',
    async (blank) => {
      const answer = await world.service.call('POST', '/registries', { policy: [world.did], ...blank })
      expect(answer).toMatchObject({ status: 200, body: { data: { type: 'StatusList2021Entry' } } })
    },
  )

  it('of the old type carry a Deprecation header', async () => {
    const answer = await made({ policy: [world.did], type: 'CredentialStatusList2017' })
    expect(answer.header('deprecation')).toBe('true')
    expect(answer.body.data.type).toBe('CredentialStatusList2017')
  })

  it.each(['nope', '9'.repeat(64), `0x${'9'.repeat(63)}`])(
    '%s is not found or malformed, in every operation',
    async (id) => {
      const status = id.length === 64 ? 404 : 400
      for (const [method, url] of [
        ['GET', `/registries/${id}`],
        ['DELETE', `/registries/${id}`],
        ['GET', `/status-lists/${id}`],
        ['GET', `/revocationStatus/${id}/${'1'.repeat(64)}`],
        ['GET', `/revocationStatus/${id}/${'1'.repeat(64)}/witness`],
      ] as const) {
        const answer = await world.service.call(method, url)
        expect(answer.status, `${method} ${url}`).toBe(status)
        const isLedgerRead = method === 'GET' && status === 404
        expect(answer.header('accredit-block') !== undefined, `${method} ${url}`).toBe(isLedgerRead)
      }
      expect((await change(id, 'revoke', ['urn:x:1'])).status).toBe(status)
    },
  )
})

describe('revoking by id', () => {
  it('takes ids of no credential here, is idempotent and can be undone; the hash is that of the id', async () => {
    const id = 'https://credentials.dock.io/3e343b80ebaefb40d8f9d99ec27a885e'
    const hash = '0xaff1aa6770d43d684690c0ad679a8608d5b7576feb3fdc1d6712decf73ca44ef'
    const status = () => world.service.call('GET', `/revocationStatus/${world.registry}/${hash}`)
    expect(await status()).toMatchObject({ status: 400, body: { type: 'status_not_found_yet' } })
    for (const [action, revoked] of [
      ['revoke', true],
      ['revoke', true],
      ['unrevoke', false],
      ['unrevoke', false],
    ] as const) {
      expect((await change(world.registry, action, [id])).body.data).toEqual({ revokeIds: [hash] })
      expect((await status()).body).toEqual({ type: revoked })
      expect(
        (await world.service.call('GET', `/revocationStatus/0x${world.registry}/${hash.slice(2).toUpperCase()}`)).body,
      ).toEqual({ type: revoked })
    }
    expect((await status()).header('accredit-block')).toMatch(/^\d+$/)
  })

  it('of many at once sets each', async () => {
    const ids = Array.from({ length: 300 }, (_, i) => `urn:many:${i}`)
    const { body } = await change(world.registry, 'revoke', ids)
    expect(body.data.revokeIds).toEqual(ids.map(schemaId))
    for (const i of [0, 299])
      expect(
        (await world.service.call('GET', `/revocationStatus/${world.registry}/${body.data.revokeIds[i]}`)).body,
      ).toEqual({
        type: true,
      })
  })

  it('goes on with another DID of the policy when the first was deleted, and is refused without any', async () => {
    const gone = await world.service.did()
    const [shared, alone] = [
      (await made({ policy: [gone, world.did] })).body.data.id,
      (await made({ policy: [gone] })).body.data.id,
    ]
    await world.service.finished((await world.service.call('DELETE', `/dids/${gone}`)).body.id)
    const { body } = await change(shared, 'revoke', ['urn:gone:1'])
    const status = await world.service.call('GET', `/revocationStatus/${shared}/${body.data.revokeIds[0]}`)
    expect(status.body).toEqual({ type: true })
    expect(await change(alone, 'revoke', ['urn:gone:1'])).toMatchObject({ status: 409, body: { type: 'conflict' } })
  })

  it('books an index of its own for each id, whatever is taken, until the list is full', async () => {
    const { db } = world.service.scratch
    const ids = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => revocationIdOf(`urn:short:${from + n}`))
    // Often enough that four at once would wait for each other, if they could.
    for (let list = 0; list < 10; list++) {
      const { team } = world.service.team
      const short = { id: `0x5${list}${'5b'.repeat(31)}`, team_id: team, length: 64 }
      const booking = { registry: short, team }
      await db.transaction('system', async (tx) => {
        const row = {
          ...short,
          creator: world.did,
          policy: [world.did],
          add_only: false,
          type: 'StatusList2021Entry' as const,
          ...USUAL_TERMS,
        }
        const more = {
          automatic: false,
          issuing: false,
          closed: false,
          status: 'failed' as const,
          job_id: '0',
          created: new Date(),
        }
        await tx
          .insertInto('revocation_registries')
          .values({ ...row, ...more })
          .execute()
      })
      const book = (some: string[]) => db.transaction('system', (tx) => bookIndexes(tx, booking, some, systemRandom))
      const booked = (await Promise.all([0, 12, 24, 36].map((from) => book(ids(from, from + 12))))).flatMap((some) => [
        ...(some ?? []),
      ])
      expect(new Set(booked.map(([, index]) => index)).size).toBe(48)
      const rows = await db.read('system', (reader) => findEntries(reader, short.id, ids(0, 48)))
      expect(new Map(rows.map(({ revocation_id, index }) => [revocation_id, index]))).toEqual(new Map(booked))
      expect(await book([])).toEqual(new Map())
      expect(await book(ids(48, 65))).toBeUndefined()
    }
  })

  it('as many ids as a request may have reach the ledger in as few calls as it takes', async () => {
    const ids = Array.from({ length: 1001 }, (_, n) => `urn:many:${n}`)
    const answer = await change(world.registry, 'revoke', ids)
    expect(new Set(answer.body.data.revokeIds).size).toBe(1001)
    const actions = await world.service.scratch.db.read('system', (reader) =>
      reader.selectFrom('ledger_actions').select('state').where('job_id', '=', answer.body.id).execute(),
    )
    expect(actions).toHaveLength(2)
    const set = await bits((await listOf(world.registry)).body)
    const ones = [...(set ?? [])].reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0)
    expect(ones).toBeGreaterThanOrEqual(1001)
    await change(world.registry, 'unrevoke', ids)
  })

  it('an unrevoke of a new id makes it known as not revoked', async () => {
    const { body } = await change(world.registry, 'unrevoke', ['urn:new:1'])
    expect(
      (await world.service.call('GET', `/revocationStatus/${world.registry}/${body.data.revokeIds[0]}`)).body,
    ).toEqual({
      type: false,
    })
  })

  it.each<[string, Json]>([
    ['no ids', {}],
    ['an empty list', { credentialIds: [] }],
    ['an id twice', { credentialIds: ['urn:a', 'urn:a'] }],
    ['another action', { action: 'destroy', credentialIds: ['urn:a'] }],
    ['ids that are no text', { credentialIds: [7] }],
    ['an empty id', { credentialIds: [''] }],
  ])('is refused with %s', async (_, body) => {
    expect((await world.service.call('POST', `/registries/${world.registry}`, body)).status).toBe(400)
  })

  it('has no witnesses in a status list', async () => {
    expect(
      (await world.service.call('GET', `/revocationStatus/${world.registry}/${'1'.repeat(64)}/witness`)).status,
    ).toBe(400)
  })

  it('an add-only registry lets nothing be unrevoked and cannot be deleted', async () => {
    const id = (await made({ policy: [world.did], addOnly: true })).body.data.id
    await change(id, 'revoke', ['urn:add:1'])
    for (const answer of [
      await change(id, 'unrevoke', ['urn:add:1']),
      await world.service.call('DELETE', `/registries/${id}`),
    ])
      expect(answer).toMatchObject({ status: 400, body: { type: 'registry_add_only' } })
  })
})

describe('the status list', () => {
  it('is public, signed, of the registered form, verifies, and is signed again only when bits change', async () => {
    const id = (await made({ policy: [world.did] })).body.data.id
    const empty = await listOf(id)
    expect(empty.header('content-type')).toContain('application/json')
    expect(empty.body).toMatchObject({
      type: ['VerifiableCredential', 'StatusList2021Credential'],
      issuer: world.did,
      credentialSubject: { type: 'StatusList2021', statusPurpose: 'revocation' },
    })
    expect(empty.body.credentialSubject.id).toBe(`${empty.body.id}#list`)
    expect((await world.service.call('POST', '/verify', empty.body)).body.verified).toBe(true)
    expect((await listOf(id)).body).toEqual(empty.body)

    const { body: vc } = await world.service.issue({ issuer: world.did, subject: { a: 1 }, status: id })
    expect(vc.credentialStatus.statusListCredential).toBe(empty.body.id)
    await change(id, 'revoke', [vc.id])
    const before = (await listOf(id)).header('accredit-block')
    const index = Number(vc.credentialStatus.statusListIndex)
    const list = await bits((await listOf(id)).body)
    expect([list?.length, bitAt(list ?? new Uint8Array(), index), list?.filter((byte) => byte !== 0).length]).toEqual([
      131_072,
      true,
      1,
    ])
    await change(id, 'unrevoke', [vc.id])
    expect(bitAt((await bits((await listOf(id)).body)) ?? new Uint8Array(), index)).toBe(false)
    const past = await listOf(id, `?at=${before}`)
    expect(past.header('accredit-block')).toBe(before)
    expect(bitAt((await bits(past.body)) ?? new Uint8Array(), index)).toBe(true)
    // A keeper of the past list cannot pass it off as the present one.
    expect(past.body.expirationDate.slice(0, 19)).toBe((await listOf(id)).body.issuanceDate.slice(0, 19))
    expect((await world.service.call('POST', '/verify', past.body)).body.checks).toContainEqual(
      expect.objectContaining({ check: 'validity', passed: false, reason: 'expired' }),
    )
    expect((await listOf(id)).body).not.toHaveProperty('expirationDate')
  })

  it('is signed again when the key was rotated; its last version stays when the DID is gone', async () => {
    const own = await world.service.did()
    const id = (await made({ policy: [own] })).body.data.id
    expect((await listOf(id)).body.proof.verificationMethod).toBe(`${own}#keys-1`)
    await world.service.finished((await world.service.call('PATCH', `/dids/${own}`, { keyType: 'ed25519' })).body.id)
    const rotated = await listOf(id)
    expect(rotated.body.proof.verificationMethod).not.toBe(`${own}#keys-1`)
    expect((await world.service.call('POST', '/verify', rotated.body)).body.verified).toBe(true)
    await world.service.finished((await world.service.call('DELETE', `/dids/${own}`)).body.id)
    expect(await listOf(id)).toMatchObject({ status: 200, body: rotated.body })
  })

  it('is signed by the next DID of the policy when its signer begins to be deleted while it signs', async () => {
    const { environment } = world.service.loop
    const [first, next] = [await world.service.did(), await world.service.did()]
    const id = (await made({ policy: [first, next] })).body.data.id
    const at = await resolveAt(environment.index, undefined, environment.clock)
    const state = await revocationRegistryAt(environment.index, `0x${id}`, at)
    if (!state) throw new Error('no registry')
    const signLast = async (requests: Parameters<SignerDoor['sign']>[0]) => {
      const change = { jobId: 'a deletion', status: 'deleting', now: new Date() } as const
      await environment.db.transaction('system', (tx) => openChange(tx, first, change))
      return environment.signer.sign(requests)
    }
    const door = { ...environment, signer: { ...environment.signer, sign: signLast } }
    const list = await statusList.publish?.(
      { ...door, address: '192.0.2.1', publisherOf: listSigner, isUsable },
      state,
      at,
    )
    expect(JSON.parse(list?.document ?? '{}')).toMatchObject({ issuer: next })
  })
})

describe('deleting a registry', () => {
  it('ends what it says: its credentials fail, lists and status are gone, the past is not', async () => {
    const id = (await made({ policy: [world.did] })).body.data.id
    const { body: vc } = await world.service.issue({ issuer: world.did, subject: { a: 1 }, status: id })
    const before = Number((await listOf(id)).header('accredit-block'))
    const answer = await world.service.call('DELETE', `/registries/${id}`)
    expect(answer.body.data).toEqual({ id, hexId: `0x${id}`, lastModified: expect.any(Number) })
    expect(await world.service.finished(answer.body.id)).toBe('finalized')
    const now = (await world.service.call('POST', '/verify', vc)).body
    expect(now.checks.find(({ check }: { check: string }) => check === 'status')).toMatchObject({
      passed: false,
      reason: 'registry_removed',
    })
    expect((await world.service.call('POST', '/verify', { data: vc, at: before })).body.verified).toBe(true)
    for (const url of [`/registries/${id}`, `/status-lists/${id}`, `/revocationStatus/${id}/${'1'.repeat(64)}`])
      expect((await world.service.call('GET', url)).status).toBe(404)
    expect((await listOf(id, `?at=${before}`)).status).toBe(200)
    expect((await world.service.call('GET', `/registries/${id}?at=${before}`)).status).toBe(200)
    expect((await change(id, 'revoke', ['urn:x:1'])).status).toBe(404)
  })
})
