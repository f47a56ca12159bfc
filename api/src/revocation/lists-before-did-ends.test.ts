import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { didKey, hexOf } from '@accredit/chain'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { isUsable } from '../dids/did.store.js'
import type { Json } from '../formats/json.js'
import { resolveAt } from '../ledger/read/at.js'
import { revocationRegistryAt } from '../ledger/read/status-list.js'
import type { SignerDoor } from '../ledger/write/signer-door.js'
import { testContext, testTeam } from '../platform/testing/scratch-database.js'
import { bitAt } from '../status/status-list/encoded-list.js'
import { statusList } from '../status/status-list/index.js'
import { listSigner } from './list-signer.js'
import { listsBeforeDidEnds } from './lists-before-did-ends.js'
import { bits, revocationWorld } from './revocation.testing.js'

const world = revocationWorld()
const { made, change, listOf } = world

describe('the status list of a DID that ends', () => {
  const isSet = async (list: { body: Json }, vc: { credentialStatus: { statusListIndex: string } }) =>
    bitAt((await bits(list.body)) ?? new Uint8Array(), Number(vc.credentialStatus.statusListIndex))
  const verified = async (document: Json) => (await world.service.call('POST', '/verify', document)).body
  const statusOf = async (document: Json) =>
    (await verified(document)).checks.find(({ check }: { check: string }) => check === 'status')
  const end = async (own: string, query = '') => {
    const answer = await world.service.call('DELETE', `/dids/${own}${query}`)
    expect(answer.status).toBe(200)
    if (answer.body.id !== '0') expect(await world.service.finished(answer.body.id)).toBe('finalized')
  }
  const keptLists = (id: string) =>
    world.service.scratch.db.read('system', (reader) =>
      reader.selectFrom('status_lists').select('changed_at').where('registry_id', '=', `0x${id}`).execute(),
    )

  it.each(['', '?fromBlockchain=false'])(
    'is there though nobody ever asked for it, holds what was on its way, and verifies: DELETE%s',
    async (query) => {
      const own = await world.service.did()
      const id = (await made({ policy: [own] })).body.data.id
      const [{ body: revoked }, { body: good }] = [
        await world.service.issue({ issuer: own, subject: { a: 1 }, status: id }),
        await world.service.issue({ issuer: own, subject: { a: 2 }, status: id }),
      ]
      await world.service.call('POST', `/registries/${id}`, { action: 'revoke', credentialIds: [revoked.id] })
      expect(await keptLists(id)).toEqual([])
      await end(own, query)
      const list = await listOf(id)
      expect(list).toMatchObject({ status: 200, body: { issuer: own } })
      expect([await isSet(list, revoked), await isSet(list, good)]).toEqual([true, false])
      expect((await verified(list.body)).verified).toBe(true)
      expect(await statusOf(revoked)).toMatchObject({ passed: false, reason: 'revoked' })
      expect((await verified(good)).verified).toBe(true)
    },
  )

  it('is not signed for the last time from an index that lags, which may lack a change', async () => {
    const { environment } = world.service.loop
    const own = await world.service.did()
    const id = (await made({ policy: [own] })).body.data.id
    const head = async () => ({ ...(await environment.index.head()), indexLagMs: environment.index.maxLagMs + 1 })
    const stale = { ...environment, index: { ...environment.index, head } }
    const ctx = testContext(world.service.scratch, world.service.team, stale)
    await expect(listsBeforeDidEnds.prepare(ctx, own)).rejects.toMatchObject({ type: 'ledger_unavailable' })
    expect(await keptLists(id)).toEqual([])
  })

  it('is signed in later versions by the next DID of the policy, in its order, and verification goes on', async () => {
    const { apiKey } = await testTeam(world.service.scratch.db)
    const [first, second, third] = await Promise.all([world.service.did(), world.service.did(), world.service.did()])
    const theirs = await world.service.did(apiKey)
    const id = (await made({ policy: [first, theirs, third, second] })).body.data.id
    const { body: vc } = await world.service.issue({ issuer: first, subject: { a: 1 }, status: id })
    await end(first)
    expect((await listOf(id)).body.issuer).toBe(first)
    for (const signer of [third, second]) {
      await change(id, signer === third ? 'revoke' : 'unrevoke', [vc.id])
      const list = await listOf(id)
      expect(list.body.issuer).toBe(signer)
      expect((await verified(list.body)).verified).toBe(true)
      expect(await isSet(list, vc)).toBe(signer === third)
      expect(await statusOf(vc)).toMatchObject({ passed: signer !== third })
      await end(signer)
    }
    expect((await verified(vc)).verified).toBe(true)
  })

  it('is refused from the block on at which another team changes the bits and nobody is left to sign, and there for the block before', async () => {
    const other = await testTeam(world.service.scratch.db)
    const [own, theirs] = await Promise.all([world.service.did(), world.service.did(other.apiKey)])
    const id = (await made({ policy: [own, theirs] })).body.data.id
    const { body: vc } = await world.service.issue({ issuer: own, subject: { a: 1 }, status: id })
    const signed = await listOf(id)
    await end(own)
    expect((await listOf(id)).body).toEqual(signed.body)
    const act = {
      did: theirs,
      action: 'Revocation.set_status',
      params: { registryId: `0x${id}`, revoke: [Number(vc.credentialStatus.statusListIndex)], unrevoke: [] },
    }
    const { body } = await world.service.call('POST', '/ledger/actions', act, other.apiKey)
    expect(await world.service.finished(body.id, other.apiKey)).toBe('finalized')
    const {
      rows: [bit],
    } = await sql<{ block: number }>`select from_block as block from ledger.status_bit
      where registry_id = ${`0x${id}`}`.execute(world.service.loop.environment.index.db)
    const changed = bit?.block ?? 0
    // A later block, at which the list is as old.
    await world.service.did()
    for (const query of ['', `?at=${changed}`]) {
      const refused = await listOf(id, query)
      expect(refused).toMatchObject({ status: 503, body: { type: 'unavailable' } })
      const [, last] = /\?at=(\d+)/.exec(refused.body.message) ?? []
      for (const at of [Number(last), changed - 1]) {
        const list = await listOf(id, `?at=${at}`)
        expect([list.status, list.header('accredit-block')]).toEqual([200, String(at)])
        expect(list.body).toEqual(signed.body)
      }
    }
    expect(await isSet(signed, vc)).toBe(false)
    expect(await statusOf(vc)).toMatchObject({ passed: false, reason: 'revoked' })
  })

  it('that nobody asked for while it could be signed is refused, and not unknown, once its signer is gone', async () => {
    const other = await testTeam(world.service.scratch.db)
    const [own, controller] = await Promise.all([world.service.did(), world.service.did(other.apiKey)])
    await world.service.call('PATCH', `/dids/${own}`, { controller })
    const id = (await made({ policy: [own] })).body.data.id
    const before = (await listOf(world.registry)).header('accredit-block')
    const act = { did: controller, action: 'Did.deactivate', params: { did: own } }
    const { body } = await world.service.call('POST', '/ledger/actions', act, other.apiKey)
    expect(await world.service.finished(body.id, other.apiKey)).toBe('finalized')
    for (const query of ['', `?at=${before}`]) {
      const refused = await listOf(id, query)
      expect(refused).toMatchObject({ status: 503, body: { type: 'unavailable' } })
      expect(refused.body.message).toMatch(/Nobody of the policy .+ was ever signed/)
    }
    expect((await listOf(randomBytes(32).toString('hex'))).status).toBe(404)
  })

  it('of a registry that a DID with its own key made is unknown here', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
    const self = didKey({ kind: 'Ed25519', publicKey: hexOf(raw) }) ?? ''
    const registryId = hexOf(randomBytes(32))
    const params = { registryId, policy: [self], addOnly: false, kind: { StatusList: { length: 131_072 } } }
    const wish = { did: self, keyId: 0, action: 'Revocation.create', params }
    const { payload } = (await world.service.call('POST', '/ledger/actions/prepare', wish)).body
    const signature = sign(null, Buffer.from(payload.slice(2), 'hex'), privateKey).toString('hex')
    const { body } = await world.service.call('POST', '/ledger/actions', { ...wish, signature })
    expect(await world.service.finished(body.id)).toBe('finalized')
    expect((await listOf(registryId)).status).toBe(404)
  })

  it('keeps one version, however many points strangers ask for', async () => {
    const id = (await made({ policy: [world.did] })).body.data.id
    const blocks: number[] = []
    for (const [action, bit] of [
      ['revoke', 'urn:x:1'],
      ['revoke', 'urn:x:2'],
      ['unrevoke', 'urn:x:1'],
    ] as const) {
      blocks.push(Number((await listOf(id)).header('accredit-block')))
      await change(id, action, [bit])
    }
    const present = await listOf(id)
    const past = await Promise.all(blocks.map((block) => listOf(id, `?at=${block}`)))
    expect(past.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(past.map(({ body }) => body.credentialSubject.encodedList)).size).toBe(3)
    expect(await keptLists(id)).toHaveLength(1)
    expect((await listOf(id)).body).toEqual(present.body)
  })

  it('of the past is signed for two at once and 32 behind them, 8 of one address; more are refused until these have theirs', async () => {
    const { environment } = world.service.loop
    const id = (await made({ policy: [world.did] })).body.data.id
    const then = (await listOf(id)).header('accredit-block')
    await change(id, 'revoke', ['urn:x:1'])
    // The kept list is another one from here on.
    await listOf(id)
    const at = await resolveAt(environment.index, then, environment.clock)
    const state = await revocationRegistryAt(environment.index, `0x${id}`, at)
    if (!state) throw new Error('no list then')
    let letSign = () => {}
    const mayGoOn = new Promise<void>((resolve) => {
      letSign = resolve
    })
    const signLater = async (requests: Parameters<SignerDoor['sign']>[0]) => {
      await mayGoOn
      return environment.signer.sign(requests)
    }
    const door = { ...environment, signer: { ...environment.signer, sign: signLater } }
    const refused: unknown[] = []
    const ask = (address: string) =>
      statusList
        .publish?.({ ...door, address, publisherOf: listSigner, isUsable }, state, at)
        .catch((error: unknown) => {
          refused.push(error)
          if (refused.length === 2) letSign()
        })
    const askAll = (letters: string) => [...letters].map((letter) => ask(`192.0.2.${letter.charCodeAt(0)}`))
    // The database decides the order: the second wave begins when the first one stands.
    const first = askAll('A'.repeat(11))
    await expect.poll(() => refused).toHaveLength(1)
    const asked = [...first, ...askAll('BCDBCDBCDBCDBCDBCDBCDBCDE')]
    const lists = (await Promise.all(asked)).filter((list) => list !== undefined)
    expect(lists).toHaveLength(34)
    const headers = { 'Retry-After': '1' }
    expect(refused).toHaveLength(2)
    for (const type of ['rate_limited', 'unavailable'])
      expect(refused).toContainEqual(expect.objectContaining({ type, headers }))
    expect((await listOf(id, `?at=${then}`)).status).toBe(200)
  })

  it('stays after a did:key that is deleted here, whose key never ends', async () => {
    const own = await world.service.did(undefined, { type: 'key' })
    expect(own).toMatch(/^did:key:/)
    const id = (await made({ policy: [own] })).body.data.id
    const signed = await listOf(id)
    expect(signed).toMatchObject({ status: 200, body: { issuer: own } })
    await end(own)
    expect(await listOf(id)).toMatchObject({ status: 200, body: signed.body })
  })

  it('is not answered where its signers go while they sign, three times', async () => {
    const { environment } = world.service.loop
    const id = (await made({ policy: [world.did] })).body.data.id
    const at = await resolveAt(environment.index, undefined, environment.clock)
    const state = await revocationRegistryAt(environment.index, `0x${id}`, at)
    if (!state) throw new Error('no list')
    let signed = 0
    const sign = (requests: Parameters<SignerDoor['sign']>[0]) => {
      signed += 1
      return environment.signer.sign(requests)
    }
    const door = { ...environment, signer: { ...environment.signer, sign }, address: '192.0.2.1' }
    const published = statusList.publish?.({ ...door, publisherOf: listSigner, isUsable: async () => false }, state, at)
    await expect(published).rejects.toMatchObject({ type: 'unavailable', message: expect.stringContaining('changes') })
    expect([signed, await keptLists(id)]).toEqual([3, []])
  })

  it('of a registry made on the ledger alone is signed by its creator, a DID of the service', async () => {
    const registryId = `0x${'5a'.repeat(32)}`
    const params = { registryId, policy: [world.did], addOnly: false, kind: { StatusList: { length: 131_072 } } }
    const { body } = await world.service.call('POST', '/ledger/actions', {
      did: world.did,
      action: 'Revocation.create',
      params,
    })
    expect(await world.service.finished(body.id)).toBe('finalized')
    for (const list of [await listOf(registryId), await listOf(registryId)])
      expect(list).toMatchObject({ status: 200, body: { issuer: world.did } })
  })

  it('of a registry made by ledger actions holds the changes pending at the end of its DID', async () => {
    const own = await world.service.did()
    const registryId = `0x${'5c'.repeat(32)}`
    const kind = { StatusList: { length: 131_072 } }
    const actions: [string, Json][] = [
      ['Revocation.create', { registryId, policy: [own], addOnly: false, kind }],
      ['Revocation.set_status', { registryId, revoke: [7], unrevoke: [] }],
    ]
    for (const [action, params] of actions)
      expect((await world.service.call('POST', '/ledger/actions', { did: own, action, params })).status).toBe(200)
    await end(own)
    const list = await listOf(registryId)
    expect(list).toMatchObject({ status: 200, body: { issuer: own } })
    const set = await bits(list.body)
    expect([6, 7, 8].map((index) => bitAt(set ?? new Uint8Array(), index))).toEqual([false, true, false])
    expect((await verified(list.body)).verified).toBe(true)
  })

  it('is waited for: a DID does not end while its changes of status are on their way', async () => {
    const own = await world.service.did()
    const id = (await made({ policy: [own] })).body.data.id
    const { environment } = world.service.loop
    const config = { ...environment.config, ledger: { ...environment.config.ledger, waitMs: 100 } }
    const ctx = testContext(world.service.scratch, world.service.team, { ...environment, config })
    const check = () => ctx.db.transaction(ctx.scope, (tx) => listsBeforeDidEnds.check(tx, own))
    await check()
    const { body } = await world.service.call('POST', `/registries/${id}`, { credentialIds: ['urn:x:1'] })
    await world.service.finished(body.id)
    // The ledger seems not to have answered yet.
    const put = (state: string) =>
      world.service.scratch.db.call(sql`update service.ledger_actions set state = ${state}, block_height = 2000000000
        where job_id = ${body.id}`)
    const reopen = (status: string) =>
      world.service.scratch.db.call(sql`update service.jobs set status = ${status} where id = ${body.id}`)
    await put('included')
    await reopen('in_progress')
    for (const ends of [check, () => listsBeforeDidEnds.prepare(ctx, own)])
      await expect(ends()).rejects.toMatchObject({ type: 'conflict' })
    await put('done')
    await reopen('finalized')
    await check()
  })
})
