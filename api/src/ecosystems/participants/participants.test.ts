import { type Did, type Hex32, schemaId } from '@accredit/chain'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { forgetDid } from '../../dids/forgotten-did.store.js'
import { type TestTeam, testEnvironment } from '../../platform/testing/scratch-database.js'
import { sweepPendingSignatures } from '../pending/pending-signatures.js'
import { TestEcosystems } from '../testing.js'

const [one, two] = ['https://schema.example/One.json', 'https://schema.example/Two.json'] as const

let world: TestEcosystems
let owner: TestTeam
let convener: Did
let registry: Hex32
let guest: TestTeam
let member: Did
beforeAll(async () => {
  world = await TestEcosystems.open()
})
afterAll(() => world.close())
beforeEach(async () => {
  owner = await world.team()
  convener = await world.organisation(owner, 'Council')
  registry = await world.registry(owner, convener, `Registry ${owner.team}`)
  guest = await world.team()
  member = await world.organisation(guest, 'University of Oxford')
})

const participants = (by: TestTeam | undefined, query = '') =>
  world.call(by, 'GET', `/trust-registries/${registry}/participants${query}`)
const patch = (id: string, body: object, by = owner) =>
  world.call(by, 'PATCH', `/trust-registries/${registry}/participants/${id}`, body)
const leave = (id: string, by = owner) => world.call(by, 'DELETE', `/trust-registries/${registry}/participants/${id}`)
const get = (id: string, by = owner, query = '') =>
  world.call(by, 'GET', `/trust-registries/${registry}/participants/${id}${query}`)

/** A participant that issues schema One. */
async function issuer(schemas: object = { issuerSchemas: [one] }): Promise<string> {
  const accepted = await world.accept(owner, guest, registry, member, schemas)
  await world.include(accepted.job, (block) => world.issuer(registry, one, member, block))
  return accepted.body.id
}

test('changes of one participant by its convener and itself at once are all kept', async () => {
  const { id } = (await world.accept(owner, guest, registry, member)).body
  for (let round = 1; round <= 5; round++) {
    const infoUrl = `https://ox.ac.uk/${round}`
    const status = round % 2 === 1 ? 'suspended' : 'active'
    const answers = await Promise.all([patch(id, { infoUrl }, guest), patch(id, { status })])
    expect(answers.map((answer) => answer.status)).toEqual([200, 200])
    expect((await get(id)).body).toMatchObject({ infoUrl, status })
  }
})

test('a change builds on pending changes rather than on the ledger’s state', async () => {
  const { id } = (await world.accept(owner, guest, registry, member)).body
  const first = await patch(id, { issuerSchemas: [one] })
  expect(first).toMatchObject({ pending: true })
  // The convener has the right to suspend by then.
  const suspended = await patch(id, { status: 'suspended' })
  expect(JSON.stringify(await world.action(suspended.job))).toMatch(/suspendIssuers/i)
  expect(await patch(id, { status: 'suspended' })).toMatchObject({ job: '0', body: { status: 'suspended' } })
  const active = await patch(id, { status: 'active' })
  expect(JSON.stringify(await world.action(active.job))).toMatch(/unsuspendIssuers/i)
  const gone = await patch(id, { issuerSchemas: [] })
  expect(JSON.stringify(await world.action(gone.job))).toMatch(/Discard/)
  await world.refuse(gone.job)
  const removed = await leave(id)
  expect(JSON.stringify(await world.action(removed.job))).toMatch(/Discard/)
  const back = await patch(id, { issuerSchemas: [one] })
  expect(JSON.stringify(await world.action(back.job))).toMatch(/Ensure/)
})

test('schemas that two clients give and a suspension at the same moment all come about', async () => {
  const { id } = (await world.accept(owner, guest, registry, member)).body
  const answers = await Promise.all([
    patch(id, { issuerSchemas: [one] }),
    patch(id, { verifierSchemas: [two] }),
    patch(id, { status: 'suspended' }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  const calls = await Promise.all(answers.filter(({ job }) => job !== '0').map(({ job }) => world.action(job)))
  const said = JSON.stringify(calls)
  for (const name of [schemaId(one), schemaId(two)]) expect(said).toContain(name)
  // The suspension is a call of its own behind the first right, or part of the same action.
  expect(said).toMatch(/suspend(Issuers|Verifiers)/)
})

test('opening a pending schema, and closing it again, are each written', async () => {
  const put = (open: boolean) =>
    world.call(owner, 'PUT', `/trust-registries/${registry}/schemas/${encodeURIComponent(one)}`, { public: open })
  const [opened, again, closed] = [await put(true), await put(true), await put(false)]
  expect([opened.job === '0', again.job, closed.job === '0']).toEqual([false, '0', false])
  expect(JSON.stringify(await world.action(closed.job))).toMatch(/Ensure.*Discard/)
})

describe('a change of a status', () => {
  test('is refused when it is misspelt, or not said', async () => {
    const id = await issuer()
    for (const [body, path] of [
      [{ state: 'suspended' }, '/state'],
      [{ status: null }, '/status'],
      [{ status: '' }, '/status'],
      [{ issuerSchemas: null, status: 'suspended' }, '/issuerSchemas'],
    ] as const)
      expect(await patch(id, body), JSON.stringify(body)).toMatchObject({ status: 400, body: { problems: [{ path }] } })
    expect((await get(id)).body).toMatchObject({ status: 'active', issuerSchemas: [one] })
  })

  test('accepts members of a participant that it cannot change, and names them as ignored', async () => {
    const { id, suspendedAt, logoUrl } = (await world.accept(owner, guest, registry, member)).body
    const whole = { name: 'Oxford', logoUrl, suspendedAt, infoUrl: '', status: 'suspended' }
    const answer = await patch(id, whole)
    expect(answer).toMatchObject({ status: 200, ignored: '/name, /logoUrl, /suspendedAt' })
    expect(answer.body).toMatchObject({ name: 'University of Oxford', status: 'suspended', infoUrl: '' })
  })
})

describe('a suspension', () => {
  test('is one call in the role that the DID has, and is shown with the time of its block', async () => {
    const id = await issuer()
    const suspended = await patch(id, { status: 'suspended', suspendedAt: '1999-01-01', name: 'ignored' })
    expect(suspended).toMatchObject({ status: 200, pending: true, body: { status: 'suspended' } })
    expect(JSON.stringify(await world.action(suspended.job))).toMatch(/suspendIssuers/i)
    expect((await get(id)).body.status).toBe('active')
    const height = await world.include(suspended.job, (block) => world.suspension(registry, member, block))
    const shown = (await get(id)).body
    expect(shown).toMatchObject({ status: 'suspended', name: 'University of Oxford', issuerSchemas: [one] })
    expect(shown.suspendedAt).toBe(await world.timeOf(height))
    expect((await get(id, owner, `?at=${height - 1}`)).body).toMatchObject({ status: 'active', suspendedAt: '' })
    expect(await patch(id, { status: 'suspended' })).toMatchObject({ job: '0', body: { status: 'suspended' } })
    const active = await patch(id, { status: 'active' })
    expect(JSON.stringify(await world.action(active.job))).toMatch(/unsuspend/i)
  })

  test('of a participant without any right is remembered, and written together with its first right', async () => {
    const { id } = (await world.accept(owner, guest, registry, member)).body
    expect(await patch(id, { status: 'suspended' })).toMatchObject({ job: '0', body: { status: 'suspended' } })
    expect((await get(id, guest)).body.suspendedAt).not.toBe('')
    const granted = await patch(id, { issuerSchemas: [one] })
    const { calls } = await world.action(granted.job)
    expect(calls).toHaveLength(2)
    expect(JSON.stringify(calls[1])).toMatch(/suspendIssuers/i)
    expect(granted.body).toMatchObject({ status: 'suspended', role: 'issuer' })
  })

  test('outlives leaving and coming back', async () => {
    const { id } = (await world.accept(owner, guest, registry, member)).body
    await patch(id, { status: 'suspended' })
    expect(await leave(id, guest)).toMatchObject({ status: 200, body: {}, job: '0' })
    const back = await world.accept(owner, guest, registry, member, { verifierSchemas: [two] })
    expect(back.body).toMatchObject({ id, status: 'suspended', role: 'verifier' })
    expect((await world.action(back.job)).calls).toHaveLength(2)
  })
})

test('a deactivated DID is shown as suspended since the block of its deactivation, and neither counted nor named as a verifier; it asks for nothing', async () => {
  const id = await issuer()
  await world.block((block) => world.verifier(registry, one, member, block))
  await world.block((block) => world.schema(registry, one, block))
  await world.admin(`update ledger.issuer set prices = '{"USD": "70000"}' where registry_id = $1`, [registry])
  const ended = await world.block((block) => world.deactivated(member, block))
  const verifiers = `/trust-registries/${registry}/verifiers?schemaId=${encodeURIComponent(one)}`
  const told = async (at: string) => ({
    participant: (await get(id, owner, `?at=${at}`)).body.status,
    listed: (await participants(owner, `?at=${at}`)).body.list[0].status,
    asks: (await get(id, owner, `?at=${at}`)).body.prices.length,
    schema: (await world.call(owner, 'GET', `/trust-registries/${registry}/schemas?at=${at}`)).body.list[0],
    ecosystem: (await world.call(undefined, 'GET', `/dids/${member}/ecosystems?at=${at}`)).body.list[0]
      .participantStatus,
    verifiers: (await world.call(undefined, 'GET', `${verifiers}&at=${at}`)).body,
    verifiersOfIts: (await world.call(undefined, 'GET', `${verifiers}&issuerDID=${member}&at=${at}`)).body,
    registry: (await world.call(owner, 'GET', `/trust-registries/${registry}?at=${at}`)).body,
  })
  const [before, after] = [await told(String(ended - 1)), await told(String(ended))]
  expect(before).toMatchObject({
    participant: 'active',
    listed: 'active',
    ecosystem: 'active',
    verifiers: [member],
    verifiersOfIts: [member],
    registry: { issuerCount: 1, verifierCount: 1 },
    asks: 1,
    schema: { participantCount: 1, prices: [{ issuerDID: member }] },
  })
  expect(after).toMatchObject({
    participant: 'suspended',
    listed: 'suspended',
    ecosystem: 'suspended',
    verifiers: [],
    verifiersOfIts: [],
    registry: { issuerCount: 0, verifierCount: 0 },
    asks: 0,
    schema: { participantCount: 1, prices: [], topParticipants: [{ did: member, prices: [] }] },
  })
  const { body, blockTime } = { ...(await get(id)), blockTime: await world.timeOf(ended) }
  expect(body).toMatchObject({ status: 'suspended', suspendedAt: blockTime, deactivatedAt: blockTime })
  expect((await get(id, owner, `?at=${ended - 1}`)).body).toMatchObject({ suspendedAt: '', deactivatedAt: '' })
})

describe('schemas of a participant', () => {
  test('are replaced role by role, and only what was asked for is named', async () => {
    const id = await issuer()
    const changed = await patch(id, { verifierSchemas: [two] })
    expect(changed.body).toMatchObject({ role: 'verifier+issuer', issuerSchemas: [one], verifierSchemas: [two] })
    const { calls } = await world.action(changed.job)
    expect(JSON.stringify(calls)).toContain('erifiers')
    expect(JSON.stringify(calls)).not.toMatch(/"Discard"/)
    await world.include(changed.job, (block) => world.verifier(registry, two, member, block))
    expect(await patch(id, { issuerSchemas: [one], verifierSchemas: [two, two] })).toMatchObject({ job: '0' })
    const none = await patch(id, { issuerSchemas: [] })
    expect(JSON.stringify((await world.action(none.job)).calls)).toMatch(/Discard/)
  })

  test('filter the list, and list the schemas of the registry with their participants', async () => {
    const id = await issuer()
    await world.block(async (block) => {
      await world.schema(registry, one, block)
      await world.schema(registry, two, block, true)
    })
    expect((await participants(owner, `?schemaId=${encodeURIComponent(one)}`)).body).toMatchObject({
      total: 1,
      list: [{ id }],
    })
    expect((await participants(owner, `?schemaId=${encodeURIComponent(two)}`)).body).toEqual({ total: 0, list: [] })
    const { body } = await world.call(guest, 'GET', `/trust-registries/${registry}/schemas`)
    expect(body.total).toBe(2)
    expect(body.list).toContainEqual(
      expect.objectContaining({
        id: one,
        participantCount: 1,
        public: false,
        topParticipants: [expect.objectContaining({ id })],
      }),
    )
    expect(body.list).toContainEqual(
      expect.objectContaining({ participantCount: 0, public: true, topParticipants: [] }),
    )
  })

  test('are listed with as many of their newest participants as are asked for, 1 to 64', async () => {
    await issuer()
    await world.block((block) => world.schema(registry, one, block))
    const newest = await world.organisation(guest, 'Newest')
    await world.block((block) => world.verifier(registry, one, newest, block))
    const schemas = (count: number | string) =>
      world.call(owner, 'GET', `/trust-registries/${registry}/schemas?participants=${count}`)
    const top = async (count: number | string) => {
      const [{ participantCount, topParticipants }] = (await schemas(count)).body.list
      return [participantCount, topParticipants.map(({ did }: { did: string }) => did)]
    }
    expect(await top(1)).toEqual([2, [newest]])
    for (const count of [2, 64]) expect(await top(count)).toEqual([2, [newest, member]])
    for (const count of [0, 65, -1, 1.5, 'x']) expect((await schemas(count)).status).toBe(400)
  })

  test('tell which DIDs of a team may issue them, themselves or for who delegated, and as it was', async () => {
    const own = async (by: TestTeam, at = '') => {
      const ids = encodeURIComponent(`${one},${two}`)
      return (await world.call(by, 'GET', `/trust-registries/schema-dids?ids=${ids}${at}`)).body
    }
    const issued = (dids: Did[]) => [
      { schema: one, dids },
      { schema: two, dids: [] },
    ]
    await issuer()
    const delegate = await world.organisation(owner, 'Delegate')
    const delegated = await world.block((block) =>
      world.ledger.row('delegation', {
        registry_id: registry,
        issuer: member,
        issuer_order: '1',
        delegate,
        from_block: block,
        to_block: null,
      }),
    )
    expect(await own(guest)).toEqual(issued([member]))
    expect(await own(owner)).toEqual(issued([delegate]))
    expect(await own(owner, `&at=${delegated - 1}`)).toEqual(issued([]))
    const suspended = await world.block((block) => world.suspension(registry, member, block))
    expect(await own(owner)).toEqual(issued([]))
    expect(await own(owner, `&at=${suspended - 1}`)).toEqual(issued([delegate]))
    expect(await own(await world.team())).toEqual(issued([]))
  })

  test('tell who verifies them, for everybody', async () => {
    await world.block((block) => world.verifier(registry, one, member, block))
    const url = `/trust-registries/${registry}/verifiers?schemaId=${encodeURIComponent(one)}`
    expect((await world.call(undefined, 'GET', `${url}&issuerDID=undefined`)).body).toEqual([member])
    expect((await world.call(undefined, 'GET', `${url}&issuerDID=${member}`)).body).toEqual([])
    expect((await world.call(undefined, 'GET', `${url}&issuerDID=did:web:example.org`)).body).toEqual([])
    expect((await world.call(undefined, 'GET', `/trust-registries/${registry}/verifiers`)).status).toBe(400)
  })
})

describe('a change of a participant', () => {
  test('is open to the convener, to the participant for its information, versioned, and its leaving, and not to strangers', async () => {
    const id = await issuer()
    const stranger = await world.team()
    const before = world.clock.now().toISOString()
    const info = (by: TestTeam) =>
      world.call(by, 'PATCH', `/trust-registries/${registry}/participants/${id}/info`, {
        infoUrl: 'https://ox.ac.uk',
        description: 'x',
      })
    expect((await info(stranger)).status).toBe(404)
    expect((await info(owner)).status).toBe(403)
    expect(await info(guest)).toMatchObject({ status: 200, job: '0', body: { infoUrl: 'https://ox.ac.uk' } })
    expect((await get(id, guest, `?at=${before}`)).body.infoUrl).toBe('')

    for (const body of [{ status: 'suspended' }, { issuerSchemas: [] }, { verifierSchemas: [two] }]) {
      expect((await patch(id, body, guest)).status).toBe(403)
      expect((await patch(id, body, stranger)).status).toBe(404)
    }
    expect((await patch(id, { infoUrl: '' }, guest)).body).toMatchObject({ infoUrl: '' })
    expect((await leave(id, stranger)).status).toBe(404)
    const second = await world.organisation(guest, 'Second')
    const other = await world.accept(owner, guest, registry, second)
    const peer = await world.team()
    await world.accept(owner, peer, registry, await world.organisation(peer, 'Peer'))
    expect((await leave(other.body.id, peer)).status).toBe(403)
  })

  test('of a DID listed on the ledger only stores nothing and sends no event', async () => {
    const listedOnly = await world.organisation(guest, 'Listed')
    await world.block((block) => world.issuer(registry, one, listedOnly, block))
    const [{ id }] = (await participants(owner)).body.list
    const kept = { status: 400, body: { message: expect.stringMatching(/accepted no invitation/) } }
    const infoUrl = 'https://ox.ac.uk'
    expect(await patch(id, { infoUrl }, guest)).toMatchObject(kept)
    expect(await patch(id, { infoUrl, verifierSchemas: [two] })).toMatchObject(kept)
    const url = `/trust-registries/${registry}/participants/${id}/info`
    expect(await world.call(guest, 'PATCH', url, { infoUrl })).toMatchObject(kept)
    // An empty infoUrl leaves nothing to keep.
    expect(await patch(id, { infoUrl: '' })).toMatchObject({ status: 200, body: { infoUrl: '', accepted: false } })
    // The change would leave nothing to be suspended.
    const nothing = { issuerSchemas: [], verifierSchemas: [] }
    expect(await patch(id, { ...nothing, status: 'suspended' })).toMatchObject(kept)
    expect((await get(id)).body).toMatchObject({ status: 'active', issuerSchemas: [one] })
    expect(await patch(id, { issuerSchemas: [] })).toMatchObject({ status: 200, pending: true })
    expect(await patch(id, { status: 'suspended' })).toMatchObject(kept)
  })

  test('leaving is signed by the participant, removing by the convener; it is shown until the ledger has it', async () => {
    const id = await issuer()
    const left = await leave(id, guest)
    expect(left).toMatchObject({ status: 200, body: {}, pending: true })
    expect((await world.action(left.job)).did).toBe(member)
    expect((await world.action((await leave(id)).job)).did).toBe(convener)
    expect((await get(id)).status).toBe(200)
    const height = await world.include(left.job, (block) => world.endIssuer(registry, member, block))
    expect((await get(id)).status).toBe(404)
    expect((await get(id, owner, `?at=${height - 1}`)).body).toMatchObject({ id, issuerSchemas: [one], accepted: true })
    expect((await leave(id)).status).toBe(404)
  })

  test('a participant whose DID is not here any more cannot leave with it, and nothing waits for it', async () => {
    const id = await issuer()
    await world.scratch.db.transaction('system', (tx) => forgetDid(tx, member, world.clock.now()))
    expect(await leave(id, guest)).toMatchObject({
      status: 404,
      body: { message: 'DID was not found' },
      pending: false,
    })
    expect((await world.call(owner, 'GET', `/trust-registries/${registry}/waiting-actions`)).body.total).toBe(0)
    // Its convener may still remove it.
    expect(await leave(id)).toMatchObject({ status: 200, pending: true })
  })
})

test('an acceptance is not given up as unsigned that is on the ledger, or may be, since the index lags; half of one is no acceptance', async () => {
  const { db } = world.scratch
  await db.transaction('system', (tx) =>
    tx.updateTable('did_keys').set({ state: 'retired' }).where('did', '=', convener).execute(),
  )
  const schemas = { issuerSchemas: [one], verifierSchemas: [two] }
  const { body, job } = await world.accept(owner, guest, registry, member, schemas)
  expect(body).toMatchObject({ waitingFor: 'convener' })
  const DAY_MS = 86_400_000
  const sweepIn = (days: number) =>
    sweepPendingSignatures(
      testEnvironment(world.scratch, {
        index: world.ledger.index,
        clock: { now: () => new Date(Date.now() + days * DAY_MS) },
      }),
    )
  const action = () =>
    db.read('system', (reader) =>
      reader
        .selectFrom('ledger_actions')
        .select(['state', 'block_height', 'outcome'])
        .where('job_id', '=', job ?? '')
        .executeTakeFirstOrThrow(),
    )
  await world.block(async (block) => {
    await world.schema(registry, one, block)
    await world.schema(registry, two, block)
    await world.issuer(registry, one, member, block)
  })
  await sweepIn(0)
  expect(await action()).toMatchObject({ state: 'waiting' })
  for (const lag of [{ behindMsAgo: 2 * DAY_MS }, { seenMsAgo: 2 * DAY_MS }]) {
    await world.ledger.finality({ height: world.latest, ...lag })
    await sweepIn(8)
    expect(await action()).toMatchObject({ state: 'waiting' })
  }
  const height = await world.block((block) => world.verifier(registry, two, member, block))
  await sweepIn(8)
  expect(await action()).toMatchObject({ state: 'included', block_height: height })
  expect((await action()).outcome).not.toHaveProperty('error')
})

test('a list of many participants is read page by page, newest first', async () => {
  const ids: string[] = []
  for (let i = 0; i < 7; i++) {
    const did = await world.organisation(guest, `Member ${i}`)
    ids.unshift((await world.accept(owner, guest, registry, did)).body.id)
  }
  const pages = await Promise.all([0, 3, 6, 9].map((offset) => participants(owner, `?limit=3&offset=${offset}`)))
  expect(pages.flatMap(({ body }) => body.list.map((row: { id: string }) => row.id))).toEqual(ids)
  expect(pages.map(({ body }) => body.total)).toEqual([7, 7, 7, 7])
})
