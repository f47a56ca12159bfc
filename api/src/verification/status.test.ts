import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../formats/json.js'
import { claimsOf } from '../formats/json-ld/document-claims.js'
import { type TestKey, testKey } from '../formats/json-ld/testing.js'
import { type At, resolveAt } from '../ledger/read/at.js'
import { insertRegistry } from '../revocation/registry.store.js'
import { accumulatorEntry, FIRST_VALUE } from '../status/accumulator/entry.js'
import { statusMessages } from '../status/bitstring-list/read-bitstring-entry.js'
import { USUAL_TERMS } from '../status/list-terms.js'
import { revocationIdOf } from '../status/revocation-id.js'
import { STATUS_METHODS, statusMethodsOf } from '../status/status-methods.js'
import { type StatusDoor, statusCheck } from './status.js'
import { checkOf, credential, expectFailure, hex32, TestVerifier, timeOf } from './testing.js'

let verifier: TestVerifier
beforeAll(async () => {
  verifier = await TestVerifier.open()
})
afterAll(() => verifier.close())

const at = (data: Json, point: Json, more?: JsonObject) => verifier.at(data, point, more)

const door = (): StatusDoor => ({
  ...verifier.environment,
  team: verifier.team.team,
  statusMethods: statusMethodsOf(STATUS_METHODS),
  distrust: async () => 'nobody vouches for it',
})

describe('a status entry', () => {
  const ISSUER = testKey().did
  const ID = 'urn:uuid:3a4b5c6d-0000-4000-8000-000000000009'
  const pointAt = (block?: number) => resolveAt(verifier.ledger.index, block, { now: () => timeOf(100) })

  const looked = async (
    credentialStatus: Json,
    { at: point, id = ID, issuer = ISSUER }: { at?: At; id?: Json; issuer?: string } = {},
  ) =>
    statusCheck(
      door(),
      claimsOf({ id, issuer, credentialStatus }),
      { maxStatusAgeSeconds: undefined },
      point ?? (await pointAt()),
    )
  const refused = (reason: string, detail: RegExp, more: object = {}) => ({
    passed: false,
    reason,
    detail: expect.stringMatching(detail),
    ...more,
  })

  let list: string
  let entry: JsonObject
  const FINE = { passed: true, block: 100 }
  beforeAll(async () => {
    const registry = await verifier.registry(0xb1)
    await verifier.ledger.row('status_bit', { registry_id: registry, index: 9, from_block: 60, to_block: null })
    list = `${verifier.apiUrl}/status-lists/${registry.slice(2)}`
    entry = verifier.statusEntry(list, 3)
  })

  it('is not needed; four may stand in one credential, and each must be clear', async () => {
    expect(await looked([])).toEqual({ passed: null })
    expect(await looked([entry, entry, entry, entry])).toEqual(FINE)
    expect(await looked([entry, entry, entry, entry, entry])).toEqual(refused('malformed', /more than 4/))
    expect(await looked([entry, verifier.statusEntry(list, 9)])).toEqual(
      refused('revoked', /it is revoked/, { block: 100 }),
    )
    expect(await looked('x')).toEqual(refused('malformed', /no object/))
  })

  it('may lie anywhere in its list, and not past its end', async () => {
    expect(await looked(verifier.statusEntry(list, 131_071))).toEqual(FINE)
    expect(await looked(verifier.statusEntry(list, 131_072))).toEqual(
      refused('index_out_of_range', /outside/, { block: 100 }),
    )
  })

  it.each<[string, (list: string) => Json | undefined]>([
    ['nothing', () => undefined],
    ['its place', (list) => `${list}#3`],
    ['its list in another form', (list) => `status-list2021:svc:0x${list.slice(-64).toUpperCase()}#3`],
    ['its list alone', (list) => list],
    ['something that is no place', () => 'urn:x:1'],
    ['a word in its list', (list) => `${list}#x9`],
    ['a number and a word', (list) => `${list}#9x`],
  ])('may call itself %s', async (_, named) => {
    const { id: _id, ...others } = entry
    const id = named(list)
    expect(await looked({ ...others, ...(id !== undefined && { id }) })).toEqual(FINE)
  })

  it.each<[string, (list: string) => Json]>([
    ['no text', () => 7],
    ['another index', (list) => `${list}#9`],
    ['an index of two digits', (list) => `${list}#33`],
    ['another index elsewhere', () => 'urn:x:1#9'],
    ['another list', (list) => `${list.slice(0, -64)}${'9'.repeat(64)}#3`],
  ])('may not call itself %s', async (_, named) => {
    expect(await looked({ ...entry, id: named(list) })).toEqual(refused('malformed', /names another list or index/))
  })

  it('that stands elsewhere may not call itself a list of ours', async () => {
    const elsewhere = { ...entry, statusListCredential: 'https://v.example/list' }
    expect(await looked(elsewhere)).toEqual(refused('malformed', /names another list or index/))
  })

  it('of a list of ours that is none tells its address, shortened', async () => {
    const nothing = `${verifier.apiUrl}/${'x'.repeat(200)}`
    expect(await looked({ ...entry, id: 'urn:x', statusListCredential: nothing })).toEqual(
      refused('unavailable', new RegExp(`^${nothing.slice(0, 200)} is no status list`)),
    )
  })

  it('of a list of ours in another form than its own tells its address, shortened', async () => {
    const other = `${list}/bitstring#${'x'.repeat(200)}`
    expect(await looked({ ...entry, id: 'urn:x', statusListCredential: other })).toEqual(
      refused('unavailable', new RegExp(`^${other.slice(0, 200)} is a status list of another type`)),
    )
  })

  it('has one bit in a list of ours', async () => {
    const statusMessage = statusMessages(['a', 'b', 'c', 'd'])
    const bitstring = { ...verifier.statusEntry(`${list}/bitstring`, 3), type: 'BitstringStatusListEntry' }
    expect(await looked(bitstring)).toEqual(FINE)
    expect(await looked({ ...bitstring, statusSize: 2, statusMessage })).toEqual(refused('unavailable', /one bit/))
  })

  it('that stands elsewhere is no refusal where our own work fails', async () => {
    const guardedFetch = async () => Promise.reject(new Error('broken'))
    const credentialStatus = { ...entry, id: 'urn:x', statusListCredential: 'https://v.example/list' }
    const claims = claimsOf({ id: ID, issuer: ISSUER, credentialStatus })
    const checked = statusCheck(
      { ...door(), guardedFetch },
      claims,
      { maxStatusAgeSeconds: undefined },
      await pointAt(),
    )
    await expect(checked).rejects.toThrow('broken')
  })

  it('by a name of this ledger is for every purpose', async () => {
    const { did } = await verifier.did()
    const named = { ...entry, statusListCredential: `status-list2021:svc:0x${list.slice(-64)}`, id: 'urn:x' }
    expect(await looked({ ...named, statusPurpose: 'suspension' }, { issuer: did })).toEqual(FINE)
    expect(await looked({ ...entry, statusPurpose: 'suspension' }, { issuer: did })).toEqual(
      refused('unavailable', /for the purpose revocation/),
    )
    for (const issuer of ['did:web:v.example', ISSUER])
      expect(await looked(named, { issuer })).toEqual(refused('unavailable', /is not the issuer's/))
  })

  it('of a registry that has no bits is past its end', async () => {
    const registry_id = hex32(0xb2)
    await verifier.ledger.row('revocation_registry', {
      registry_id,
      ...{ policy: [], creator: ISSUER, add_only: false, kind: 'Accumulator', length: null, version: 0 },
      ...{ public_key: '0x00', accumulated: '0x00', from_block: 10, to_block: null },
    })
    const bitless = `${verifier.apiUrl}/status-lists/${registry_id.slice(2)}`
    expect(await looked(verifier.statusEntry(bitless, 0))).toEqual(
      refused('index_out_of_range', /outside/, { block: 100 }),
    )
  })

  it('of a removed registry tells the block', async () => {
    const gone = `${verifier.apiUrl}/status-lists/${(await verifier.registry(0xb3, { to: 80 })).slice(2)}`
    expect(await looked(verifier.statusEntry(gone, 0))).toEqual(refused('registry_removed', /removed/, { block: 100 }))
  })

  const stored = (id: string, status: 'pending' | 'active') => {
    const type = 'CredentialStatusList2017' as const
    const facts = { creator: ISSUER, policy: [ISSUER], add_only: false, type, length: 131_072, automatic: false }
    const rest = { issuing: false, closed: false, job_id: '00000000-0000-4000-8000-000000000001', created: timeOf(1) }
    return verifier.scratch.db.transaction('system', (tx) =>
      insertRegistry(tx, { id, team_id: verifier.team.team, status, ...USUAL_TERMS, ...facts, ...rest }),
    )
  }

  it('of a registry that is on its way is expected to come, now and not in the past', async () => {
    await stored(hex32(0xb4), 'pending')
    await stored(hex32(0xb5), 'active')
    const [coming, lost] = [0xb4, 0xb5].map((id) => `${verifier.apiUrl}/status-lists/${hex32(id).slice(2)}`)
    const soon = verifier.statusEntry(coming ?? '', 0)
    expect(await looked(soon)).toEqual(refused('unavailable', /not on the ledger yet/, { isPending: true }))
    expect(await looked(soon, { at: await pointAt(90) })).toEqual(
      refused('unavailable', /had no registry 0x0*b4 at block 90/),
    )
    expect(await looked(verifier.statusEntry(lost ?? '', 0))).toEqual(
      refused('unavailable', /had no registry 0x0*b5 at block 100/),
    )
  })

  describe('of an accumulator', () => {
    const named = (id: number, more: JsonObject = {}) => ({ ...accumulatorEntry(hex32(id), 7), ...more })
    const registry = (id: number, accumulated: string, to_block: number | null = null) =>
      verifier.ledger.row('revocation_registry', {
        registry_id: hex32(id),
        ...{ policy: [ISSUER], creator: ISSUER, add_only: false, kind: 'Accumulator', length: null, version: 0 },
        ...{ public_key: '0x00', accumulated, from_block: 10, to_block },
      })
    beforeAll(async () => {
      await registry(0xd1, FIRST_VALUE)
      await registry(0xd2, FIRST_VALUE, 80)
      await registry(0xd3, `0x${'c0'.padEnd(96, '0')}`)
    })

    it('has an index that its registry can have', async () => {
      for (const revocationId of ['0', '1048575']) expect(await looked(named(0xd1, { revocationId }))).toEqual(FINE)
      expect(await looked(named(0xd1, { revocationId: '1048576' }))).toEqual(
        refused('index_out_of_range', /none that the ledger can have/, { block: 100 }),
      )
      const { revocationId: _, ...derived } = named(0xd1)
      expect(await looked(derived)).toEqual(refused('malformed', /no revocationId/))
      expect(await looked(named(0xd1, { revocationId: '07' }))).toEqual(refused('malformed', /no decimal number/))
    })

    it('fails closed for a registry that is not there, is gone, is none, or takes everything for a member', async () => {
      const block = { block: 100 }
      expect(await looked(named(0xd9))).toEqual(refused('unavailable', /had no registry/))
      expect(await looked(named(0xd2))).toEqual(refused('registry_removed', /removed/, block))
      expect(await looked(named(0xb1))).toEqual(refused('malformed', /no accumulator/, block))
      expect(await looked(named(0xd3))).toEqual(refused('invalid_accumulator', /everything is a member/, block))
    })
  })

  describe('of 2017', () => {
    const entryOf = (id: number, ledger = 'dock') => ({
      id: `rev-reg:${ledger}:${hex32(id)}`,
      type: 'CredentialStatusList2017',
    })

    beforeAll(async () => {
      const id = await verifier.registry(0xc1, { policy: [ISSUER] })
      await stored(id, 'active')
      const place = { registry_id: id, team_id: verifier.team.team }
      await verifier.scratch.db.transaction('system', (tx) =>
        tx
          .insertInto('status_entries')
          .values([
            { ...place, index: 5, revocation_id: revocationIdOf(ID) },
            { ...place, index: 6, revocation_id: revocationIdOf(`${ID}x`) },
          ])
          .execute(),
      )
      await verifier.ledger.row('status_bit', { registry_id: id, index: 6, from_block: 20, to_block: null })
      await verifier.ledger.row('status_bit', { registry_id: id, index: 5, from_block: 60, to_block: null })
      await verifier.registry(0xc3, { to: 80 })
      await verifier.registry(0xc4, { policy: [ISSUER] })
    })

    it('follows the credential’s own bit in the registry', async () => {
      expect(await looked(entryOf(0xc1), { at: await pointAt(59) })).toEqual({ passed: true, block: 59 })
      expect(await looked(entryOf(0xc1))).toEqual(refused('revoked', /it is revoked/, { block: 100 }))
      expect(await looked(entryOf(0xc1), { id: 'urn:x:other' })).toEqual(FINE)
      expect(await looked(entryOf(0xc1), { issuer: testKey().did, id: 'urn:x:other' })).toEqual(
        refused('unavailable', /is not the issuer's/),
      )
    })

    it('names a registry', async () => {
      expect(await looked({ ...entryOf(0xc1), id: 'urn:x' })).toEqual(refused('malformed', /names no registry/))
    })

    it('needs the id of the credential', async () => {
      expect(await looked(entryOf(0xc1), { id: null })).toEqual(refused('malformed', /no id/))
    })

    it('fails closed for a registry that is not there, is gone, or is kept by another service', async () => {
      expect(await looked(entryOf(0xc2))).toEqual(refused('unavailable', /had no registry/))
      expect(await looked(entryOf(0xc3))).toEqual(refused('registry_removed', /removed/, { block: 100 }))
      expect(await looked(entryOf(0xc4))).toEqual(refused('unavailable', /kept by another service/))
    })
  })
})

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
    const found = await statusCheck(door(), claimsOf(document), { maxStatusAgeSeconds: 500 }, point)
    expect(found).toMatchObject({ passed: false, reason: 'unavailable', isPending: true })
    const answer = aged(500)
    // The block comes last: it wakes the one that waits, and by then nothing lags.
    await verifier.ledger.finality({ height: 101 })
    await verifier.ledger.block(101, timeOf(101))
    expect((await answer).body.verified).toBe(true)
  })
})
