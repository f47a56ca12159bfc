import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../formats/json.js'
import { claimsOf } from '../formats/json-ld/document-claims.js'
import { type TestKey, testKey } from '../formats/json-ld/testing.js'
import { resolveAt } from '../ledger/read/at.js'
import { STATUS_METHODS, statusMethodsOf } from '../status/status-methods.js'
import { statusCheck } from './status.js'
import { checkOf, credential, expectFailure, hex32, TestVerifier, timeOf } from './testing.js'

let verifier: TestVerifier
beforeAll(async () => {
  verifier = await TestVerifier.open()
})
afterAll(() => verifier.close())

const at = (data: Json, point: Json, more?: JsonObject) => verifier.at(data, point, more)

describe('status', () => {
  it('is revoked from the block that set the bit, clear one block earlier and after it was cleared', async () => {
    const { key } = await verifier.did()
    const registry = await verifier.registry(0xa1)
    await verifier.ledger.row('status_bit', { registry_id: registry, index: 7, from_block: 60, to_block: 80 })
    await verifier.ledger.row('status_bit', { registry_id: registry, index: 9, from_block: 60, to_block: null })
    const list = `${verifier.apiUrl}/status-lists/${registry.slice(2)}`
    const document = await credential(key, { more: { credentialStatus: verifier.statusEntry(list, 7) } })
    expect((await at(document, 59)).body.verified).toBe(true)
    expectFailure(await at(document, 60), 'status', 'revoked')
    expectFailure(await at(document, 79), 'status', 'revoked')
    expect(checkOf(await at(document, 80), 'status')).toEqual({
      check: 'status',
      passed: true,
      required: true,
      block: 80,
    })
    const ledgerName = await credential(key, {
      more: { credentialStatus: verifier.statusEntry(`status-list2021:svc:${registry}`, 7) },
    })
    expectFailure(await at(ledgerName, 60), 'status', 'revoked')
  })

  it.each<[string, (list: string) => JsonObject | JsonObject[], string]>([
    ['a list that stands elsewhere', () => verifier.statusEntry('https://nowhere.invalid/list', 1), 'unavailable'],
    [
      'a registry that nobody knows',
      () => verifier.statusEntry(`${verifier.apiUrl}/status-lists/${'9'.repeat(64)}`, 1),
      'unavailable',
    ],
    ['an index past the end', (list) => verifier.statusEntry(list, 131_072), 'index_out_of_range'],
    ['an index that is none', (list) => verifier.statusEntry(list, '-1'), 'malformed'],
    [
      'a purpose that the list is not for',
      (list) => ({ ...verifier.statusEntry(list, 1), statusPurpose: 'suspension' }),
      'unavailable',
    ],
    ['the id of another index', (list) => ({ ...verifier.statusEntry(list, 1), id: `${list}#2` }), 'malformed'],
    [
      'the id of another list',
      (list) => ({ ...verifier.statusEntry(list, 1), id: `status-list2021:svc:0x${'9'.repeat(64)}#1` }),
      'malformed',
    ],
    ['an address here that is no list', () => verifier.statusEntry(`${verifier.apiUrl}/docs`, 1), 'unavailable'],
    [
      'a registry by a name of any ledger, that others made here',
      (list) => verifier.statusEntry(`status-list2021:dock:0x${list.slice(-64)}`, 1),
      'unavailable',
    ],
    ['no object', () => [verifier.statusEntry('x', 1), {}], 'unavailable'],
    [
      'one good entry and one of an unknown kind',
      (list) => [verifier.statusEntry(list, 1), { id: 'https://nowhere.invalid/', type: 'OwnStatus' }],
      'unavailable',
    ],
    [
      'one good entry and one of a legacy kind that is not kept here',
      (list) => [
        verifier.statusEntry(list, 1),
        { id: `rev-reg:svc:0x${list.slice(-64)}`, type: 'CredentialStatusList2017' },
      ],
      'unavailable',
    ],
    ['another purpose', (list) => ({ ...verifier.statusEntry(list, 1), statusPurpose: 'message' }), 'unavailable'],
    ['an unknown kind of status', (list) => ({ id: list, type: 'OwnStatus' }), 'unavailable'],
    [
      'one good entry and one that cannot be had',
      (list) => [verifier.statusEntry(list, 1), verifier.statusEntry('https://nowhere.invalid/', 1)],
      'unavailable',
    ],
  ])('%s fails closed', async (_, status, reason) => {
    const { key } = await verifier.did()
    const registry = hex32(0xa1)
    const credentialStatus = status(`${verifier.apiUrl}/status-lists/${registry.slice(2)}`)
    expectFailure(await verifier.verify(await credential(key, { more: { credentialStatus } })), 'status', reason)
  })

  it.each<[string, (id: string) => string]>([
    ['other letters and a default name', (id) => `HTTP://LocalHost:3300/status-lists/${id.toUpperCase()}`],
    ['0x', (id) => `${verifier.apiUrl}/status-lists/0x${id}`],
    ['a query', (id) => `${verifier.apiUrl}/status-lists/${id}?at=10`],
    ['a slash', (id) => `${verifier.apiUrl}/status-lists/${id}/`],
    ['two slashes', (id) => `${verifier.apiUrl}//status-lists//${id}`],
    ['escapes', (id) => `${verifier.apiUrl}/%73tatus-lists/%30${id.slice(1)}`],
    ['dots', (id) => `${verifier.apiUrl}/x/%2e%2e/status-lists/${id}`],
    ['a user', (id) => `http://a:b@127.0.0.1:3300/status-lists/${id}`],
    ['a number for the host', (id) => `http://2130706433:3300/status-lists/${id}`],
    ['another loopback address', (id) => `http://127.1.2.3:3300/status-lists/${id}`],
    ['IPv6', (id) => `http://[::1]:3300/status-lists/${id}`],
    ['IPv4 in IPv6', (id) => `http://[::ffff:127.0.0.1]:3300/status-lists/${id}`],
    ['https', (id) => `https://127.0.0.1:3300/status-lists/${id}`],
    ['a name that ends in a dot', (id) => `http://localhost.:3300/status-lists/${id}`],
  ])('is that of the ledger for a list of ours that is written with %s', async (_, spelt) => {
    const { key } = await verifier.did()
    const list = spelt(hex32(0xa1).slice(2))
    const [clear, revoked] = await Promise.all(
      [3, 9].map((index) => credential(key, { more: { credentialStatus: verifier.statusEntry(list, index) } })),
    )
    expect((await at(clear ?? {}, 90)).body.verified).toBe(true)
    expectFailure(await at(revoked ?? {}, 90), 'status', 'revoked')
  })

  it('by a name of any ledger is that of the issuer’s own registry, or a controller’s', async () => {
    const [controller, issuer, other] = [await verifier.did(), await verifier.did(), testKey()]
    const life = { from_block: 20, to_block: null }
    await verifier.ledger.row('did_controller', { did: issuer.did, controller: controller.did, ...life })
    const registry = await verifier.registry(0xa3, { policy: [controller.did, other.did] })
    const askedOf = async (key: TestKey, method: string) => {
      const entry = verifier.statusEntry(`status-list2021:${method}:${registry}`, 3)
      return checkOf(await verifier.verify(await credential(key, { more: { credentialStatus: entry } })), 'status')
    }
    for (const key of [controller.key, issuer.key, other])
      expect(await askedOf(key, 'dock')).toMatchObject({ passed: true })
    const stranger = (await verifier.did()).key
    expect(await askedOf(stranger, 'dock')).toMatchObject({ passed: false, reason: 'unavailable' })
    expect(await askedOf(stranger, 'svc')).toMatchObject({ passed: true })
    expect(await askedOf(testKey(), 'svc')).toMatchObject({ passed: false, reason: 'unavailable' })
  })

  it('a removed registry fails closed, and still answers about the time before', async () => {
    const { key } = await verifier.did()
    const registry = await verifier.registry(0xa2, { to: 80 })
    const list = `${verifier.apiUrl}/status-lists/${registry.slice(2)}`
    const document = await credential(key, { more: { credentialStatus: verifier.statusEntry(list, 3) } })
    expect((await at(document, 79)).body.verified).toBe(true)
    expectFailure(await verifier.verify(document), 'status', 'registry_removed')
  })

  it('cannot be hidden behind another name or in another place', async () => {
    const { key } = await verifier.did()
    const registry = hex32(0xa1)
    const credentialStatus = verifier.statusEntry(`${verifier.apiUrl}/status-lists/${registry.slice(2)}`, 3)
    const {
      '@context': context,
      credentialStatus: status,
      ...rest
    } = await credential(key, { more: { credentialStatus } })
    const alias = { cs: { '@id': 'https://www.w3.org/2018/credentials#credentialStatus', '@type': '@id' } }
    const renamed = { ...rest, '@context': [...context, alias], cs: status ?? null }
    const moved = {
      ...rest,
      '@context': context,
      '@included': [{ id: rest.id ?? '', type: 'VerifiableCredential', credentialStatus: status ?? null }],
    }
    for (const document of [renamed, moved]) {
      const answer = await verifier.verify(document)
      expectFailure(answer, 'structure', 'malformed')
    }
  })

  it('from an index that lags more than asked for is waited for, and never passes', async () => {
    const { key } = await verifier.did()
    const list = `${verifier.apiUrl}/status-lists/${hex32(0xa1).slice(2)}`
    const document = await credential(key, { more: { credentialStatus: verifier.statusEntry(list, 3) } })
    const aged = (maxStatusAgeSeconds: number) => verifier.verify({ data: document, maxStatusAgeSeconds })
    await verifier.ledger.finality({ height: 100 })
    expect((await aged(0)).body.verified).toBe(true)
    await verifier.ledger.finality({ height: 101, behindMsAgo: 600_000 })
    expect((await aged(3600)).body.verified).toBe(true)
    expect((await at(document, 90, { maxStatusAgeSeconds: 0 })).body.verified).toBe(true)
    const point = await resolveAt(verifier.ledger.index, undefined, { now: () => timeOf(100) })
    const found = await statusCheck(
      {
        ...verifier.environment,
        statusMethods: statusMethodsOf(STATUS_METHODS),
        distrust: async () => 'nobody vouches for it',
      },
      claimsOf(document),
      { maxStatusAgeSeconds: 500 },
      point,
    )
    expect(found).toMatchObject({ passed: false, reason: 'unavailable', isPending: true })
    const answer = aged(500)
    // The block comes last: it wakes the one that waits, and by then nothing lags.
    await verifier.ledger.finality({ height: 101 })
    await verifier.ledger.block(101, timeOf(101))
    expect((await answer).body.verified).toBe(true)
  })
})
