import { describe, expect, it } from 'vitest'
import { pathOf } from '../credentials/loop.testing.js'
import type { Json } from '../formats/json.js'
import { type TestTeam, testTeam } from '../platform/testing/scratch-database.js'
import { findRegistry } from '../status/registry.store.js'
import { bitAt } from '../status/status-list/encoded-list.js'
import { registryJobEffects } from './registry.jobs.js'
import { bits, revocationWorld } from './revocation.testing.js'

const world = revocationWorld()
const { made, change, listOf } = world

const call = (method: string, url: string, body?: Json, { apiKey } = world.service.team) =>
  world.service.call(method, url, body, apiKey)
const finished = async (answer: { status: number; body: { id: string } }, { apiKey } = world.service.team) => {
  expect(answer.status).toBe(200)
  expect(await world.service.finished(answer.body.id, apiKey)).toBe('finalized')
}
const revocable = (issuer: string, team?: TestTeam) =>
  call('POST', '/credentials', { credential: { issuer, subject: { a: 1 } }, revocable: true }, team)
const registryOf = (vc: { credentialStatus: { statusListCredential: string } }): string =>
  vc.credentialStatus.statusListCredential.split('/').at(-1) ?? ''
const isSet = async (list: { body: Json }, vc: { credentialStatus: { statusListIndex: string } }) =>
  bitAt((await bits(list.body)) ?? new Uint8Array(), Number(vc.credentialStatus.statusListIndex))

/** Somebody else who controls it revokes the key with which the DID acts and signs. */
async function loseKey(did: string): Promise<void> {
  const other = await testTeam(world.service.scratch.db)
  const controller = await world.service.did(other.apiKey)
  await finished(await call('PATCH', `/dids/${did}`, { controller }))
  const act = { did: controller, action: 'Did.revoke_keys', params: { did, keys: [1] } }
  await finished(await call('POST', '/ledger/actions', act, other), other)
}

/** Another team takes the DID over. */
async function move(did: string, to: TestTeam): Promise<void> {
  const password = 'correct horse'
  const { body: data } = await call('POST', `/dids/${did}/export`, { password })
  expect((await call('DELETE', `/dids/${did}?fromBlockchain=false`)).status).toBe(200)
  expect((await call('POST', '/dids/import', { data, password }, to)).status).toBe(200)
}

describe('a DID that moved to another team', () => {
  it('issues revocable credentials there, in a registry of that team', async () => {
    const [moved, other] = [await world.service.did(), await testTeam(world.service.scratch.db)]
    const { body: before } = await revocable(moved)
    await move(moved, other)
    const { status, body: vc } = await revocable(moved, other)
    expect(status).toBe(200)
    expect(registryOf(vc)).not.toBe(registryOf(before))
    expect(registryOf((await revocable(moved, other)).body)).toBe(registryOf(vc))
    await finished(await call('POST', `${pathOf(vc.id)}/revoke`, undefined, other), other)
    expect(await world.service.verified(vc)).toBe(false)
    expect(await isSet(await listOf(registryOf(vc)), vc)).toBe(true)
  })

  it('takes its registries along: its new team revokes earlier credentials, and it signs the list', async () => {
    const [moved, other] = [await world.service.did(), await testTeam(world.service.scratch.db)]
    const stranger = await testTeam(world.service.scratch.db)
    const { body: vc } = await revocable(moved)
    const registry = registryOf(vc)
    await move(moved, other)
    const asked = { credentialIds: [vc.id] }
    expect((await call('POST', `/registries/${registry}`, asked, stranger)).status).toBe(404)
    expect((await call('DELETE', `/registries/${registry}`, undefined, stranger)).status).toBe(404)
    for (const [method, url, body] of [
      ['POST', `${pathOf(vc.id)}/revoke`],
      ['POST', `/registries/${registry}`, asked],
      ['DELETE', `/registries/${registry}`],
    ] as const)
      expect(await call(method, url, body)).toMatchObject({ status: 409, body: { type: 'conflict' } })

    const revoked = await call('POST', `/registries/${registry}`, asked, other)
    await finished(revoked, other)
    expect(await world.service.verified(vc)).toBe(false)
    const list = await listOf(registry)
    expect(list).toMatchObject({ status: 200, body: { issuer: moved } })
    expect(await isSet(list, vc)).toBe(true)
    await finished(await call('POST', `/registries/${registry}`, { ...asked, action: 'unrevoke' }, other), other)
    expect(await isSet(await listOf(registry), vc)).toBe(false)
    const status = await call('GET', `/revocationStatus/${registry}/${revoked.body.data.revokeIds[0]}`)
    expect(status).toMatchObject({ status: 200, body: { type: false } })

    await finished(await call('DELETE', `/registries/${registry}`, undefined, other), other)
    expect((await call('DELETE', `/registries/${registry}`, undefined, other)).status).toBe(404)
    expect(await world.service.verified(vc)).toBe(false)
  })

  it('signs also where it did not make the registry, and leaves its last list when it ends', async () => {
    const [maker, moved] = [await world.service.did(), await world.service.did()]
    const other = await testTeam(world.service.scratch.db)
    const id = (await made({ policy: [maker, moved] })).body.data.id
    const { body: vc } = await world.service.issue({ issuer: maker, subject: { a: 1 }, status: id })
    await finished(await call('DELETE', `/dids/${maker}`))
    await move(moved, other)
    await finished(await call('POST', `/registries/${id}`, { credentialIds: [vc.id] }, other), other)
    await finished(await call('DELETE', `/dids/${moved}`, undefined, other), other)
    const list = await listOf(id)
    expect(list).toMatchObject({ status: 200, body: { issuer: moved } })
    expect(await isSet(list, vc)).toBe(true)
  })
})

describe('a DID of the policy that another team has', () => {
  it('acts on the registry for its team, also for ids that nobody named yet', async () => {
    const other = await testTeam(world.service.scratch.db)
    const theirs = await world.service.did(other.apiKey)
    const id = (await made({ policy: [world.did, theirs] })).body.data.id
    const answer = await call('POST', `/registries/${id}`, { credentialIds: ['urn:theirs:1'] }, other)
    await finished(answer, other)
    expect((await call('GET', `/revocationStatus/${id}/${answer.body.data.revokeIds[0]}`)).body).toEqual({ type: true })
    expect((await listOf(id)).body.issuer).toBe(world.did)
    await change(id, 'unrevoke', ['urn:theirs:1'])
    expect((await call('GET', `/revocationStatus/${id}/${answer.body.data.revokeIds[0]}`)).body).toEqual({
      type: false,
    })
  })
})

describe('a DID whose key was revoked', () => {
  it('leaves its registries, and making one, to the next DID of the policy', async () => {
    const [first, second] = [await world.service.did(), await world.service.did()]
    const id = (await made({ policy: [first, second] })).body.data.id
    await loseKey(first)
    const { body } = await change(id, 'revoke', ['urn:next:1'])
    expect((await call('GET', `/revocationStatus/${id}/${body.data.revokeIds[0]}`)).body).toEqual({ type: true })
    expect((await listOf(id)).body.issuer).toBe(second)
    const next = await made({ policy: [first, second] })
    expect(next.status).toBe(200)
    expect((await listOf(next.body.data.id)).body.issuer).toBe(second)
    expect(await made({ policy: [first] })).toMatchObject({ status: 400, body: { type: 'unsupported_policy' } })
  })

  it('leaves no list behind that it signed, when nobody else can', async () => {
    const own = await world.service.did()
    const id = (await made({ policy: [own] })).body.data.id
    const signed = await listOf(id)
    expect(signed.status).toBe(200)
    await loseKey(own)
    for (const query of ['', `?at=${signed.header('accredit-block')}`])
      expect(await listOf(id, query)).toMatchObject({
        status: 503,
        body: { type: 'unavailable', message: expect.stringContaining('a key that still counts') },
      })
    expect((await change(id, 'revoke', ['urn:nobody:1'])).status).toBe(409)
  })
})

describe('a registry that the ledger refused', () => {
  it.each([
    ['registry.create', 'registry.delete'],
    ['registry.delete', 'registry.create'],
  ])('is not there, though its removal was asked for meanwhile: %s fails before %s', async (...kinds) => {
    const { db } = world.service.scratch
    const { data } = (await made({ policy: [world.did] })).body
    const subject = `0x${data.id}`
    const error = { type: 'ledger', message: 'refused' }
    const job = {
      id: '0',
      team: world.service.team.team,
      kind: '',
      subject,
      data: {},
      parts: [],
      trace: null,
      block: undefined,
      error,
    }
    await db.transaction('system', async (tx) => {
      await tx.updateTable('revocation_registries').set({ status: 'removing' }).where('id', '=', subject).execute()
      for (const kind of kinds) await registryJobEffects[kind]?.failed(tx, [job])
    })
    expect(await db.read('public', (reader) => findRegistry(reader, subject))).toBeUndefined()
  })
})
