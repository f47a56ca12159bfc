import { type Did, didKey, type Hex32, parseDid, schemaId } from '@accredit/chain'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestTeam } from '../../platform/testing/scratch-database.js'
import { putProfile } from '../../profiles/profile.store.js'
import { type About, pendingChanges } from '../pending/pending-changes.js'
import { type Answer, TestEcosystems } from '../testing.js'

const [one, two] = ['https://schema.example/One.json', 'https://schema.example/Two.json'] as const
const schemas = (count: number) => Array.from({ length: count }, (_, index) => `${one}#${index}`)

let world: TestEcosystems
let owner: TestTeam
let convener: Did
let registry: Hex32
beforeAll(async () => {
  world = await TestEcosystems.open()
  owner = await world.team()
  convener = await world.organisation(owner, 'Council')
})
afterAll(() => world.close())
beforeEach(async () => {
  registry = await world.registry(owner, convener, 'Registry of many')
})

const strangersDid = (index: number): Did => {
  const did = parseDid(didKey({ kind: 'Ed25519', publicKey: `0x${index.toString(16).padStart(64, '0')}` }) ?? '')
  if (!did) throw new TypeError('any 32 bytes are an Ed25519 key')
  return did
}
const row = (index: number, more: object = {}) => ({
  did: strangersDid(index),
  name: `University ${index}`,
  issuerSchemas: [one],
  ...more,
})
const path = () => `/trust-registries/${registry}/participants`
const bulk = (rows: unknown, by = owner, headers = {}, query = '') =>
  world.call(by, 'POST', `${path()}/bulk${query}`, rows, headers)
const listed = async (query = ''): Promise<Answer['body']> => (await world.call(owner, 'GET', path() + query)).body
const job = (id: string) =>
  world.scratch.db.read('system', (reader) =>
    reader.selectFrom('jobs').select(['status', 'result']).where('id', '=', id).executeTakeFirstOrThrow(),
  )
const names = (id: string) =>
  world.scratch.db.read('system', (reader) =>
    reader.selectFrom('participant_names').select(['did', 'state']).where('job_id', '=', id).execute(),
  )
const pendingIssuers = async (about: About) => {
  const point = { block: world.latest, instant: world.clock.now() }
  const changes = await world.scratch.db.transaction('system', (tx) => pendingChanges(tx, registry, point, about))
  return new Set(changes.flatMap((change) => (change.of === 'issuer' ? change.did : [])))
}

describe('many participants at once', () => {
  test('are listed from their block on with the names that the convener gave, until their owners make a profile', async () => {
    const guest = await world.team()
    const member = await world.organisation(guest, 'Its own name')
    const rows = [row(1, { logoUrl: 'https://example.org/1.png', verifierSchemas: [two] }), row(2, { did: member })]
    const { status, body, job: named } = await bulk(rows)
    expect({ status, body, named }).toEqual({ status: 200, body: { id: expect.any(String), data: {} }, named: body.id })
    expect(await job(body.id)).toEqual({ status: 'todo', result: { done: 0, total: 2 } })
    expect(await listed()).toEqual({ total: 0, list: [] })
    const block = await world.include(body.id, async (height) => {
      for (const { did } of rows) await world.issuer(registry, one, did, height)
      await world.verifier(registry, two, strangersDid(1), height)
    })
    expect(await job(body.id)).toMatchObject({ status: 'finalized', result: { done: 2, total: 2, refused: [] } })
    const texts = { name: 'University 1', logoUrl: 'https://example.org/1.png', accepted: false }
    const first = { did: strangersDid(1), ...texts, issuerSchemas: [one], verifierSchemas: [two] }
    const { total, list } = await listed()
    expect(total).toBe(2)
    expect(list).toContainEqual(expect.objectContaining(first))
    expect(list).toContainEqual(expect.objectContaining({ did: member, name: 'Its own name', accepted: false }))

    await world.block()
    const later = { did: strangersDid(1), team: guest.team, name: 'By its owner', description: '', logo: '' }
    await world.scratch.db.transaction('system', (tx) => putProfile(tx, { ...later, now: world.clock.now() }))
    await world.block()
    expect((await listed()).list).toContainEqual(
      expect.objectContaining({ ...first, name: 'By its owner', logoUrl: '' }),
    )
    expect((await listed(`?at=${block}`)).list).toContainEqual(expect.objectContaining(first))
    expect((await listed(`?at=${block - 1}`)).total).toBe(0)
  })

  test('come as lines of JSON as well, and a line that is none is named', async () => {
    const lines = [row(1), row(2)].map((line) => JSON.stringify(line))
    const send = (text: string) => bulk(text, owner, { 'content-type': 'application/x-ndjson' })
    const broken = await send(`${lines[0]}\n{"did":\n${lines[1]}\nx`)
    expect(broken).toMatchObject({ status: 400, body: { message: 'Not valid JSON: row 2, 4' } })
    const { status, body } = await send(`${lines.join('\n\n')}\n`)
    expect([status, (await job(body.id)).result]).toEqual([200, { done: 0, total: 2 }])
  })

  test('are between one and ten thousand', async () => {
    expect((await bulk([])).status).toBe(400)
    const bad = Array.from({ length: 10_000 }, () => 0)
    expect((await bulk(bad)).body.message).toMatch(/^Nothing was written, 10000 rows are wrong: row 1: /)
    const tooMany = await bulk([...bad, 0])
    expect(tooMany).toMatchObject({ status: 400, body: { message: expect.stringMatching(/10000/) } })
    expect(tooMany.body.message).not.toMatch(/wrong/)
  })

  test('are refused together where one row is bad, and nothing is stored', async () => {
    const count = () =>
      world.scratch.db.read('system', (reader) =>
        reader
          .selectFrom('ledger_actions')
          .select((b) => b.fn.countAll().as('count'))
          .executeTakeFirstOrThrow(),
      )
    await world.schema(registry, two, await world.block(), true)
    const before = await count()
    const priced = { issuerSchemas: [one, two], prices: [{ schema: two, currency: 'EUR', digits: '0' }] }
    expect((await bulk([row(1), row(2, priced)])).body.message).toMatch(/row 2: prices: 0x[0-9a-f]{64} is public/)
    expect((await bulk([row(1), row(2), row(1)])).body.message).toMatch(/row 3: its did stands in row 1 already/)
    expect(await count()).toEqual(before)
  })

  test('never close a schema that anyone may verify', async () => {
    await world.schema(registry, two, await world.block(), true)
    const closing = await bulk([row(1), row(2, { verifierSchemas: [two] })])
    expect(closing).toMatchObject({ status: 400 })
    expect(closing.body.message).toMatch(/row 2: verifierSchemas: anyone may verify https:.*Two\.json/)
    expect((await bulk([row(1), row(2, { issuerSchemas: [two] })])).status).toBe(200)
  })

  test('are one job of a registry after the other', async () => {
    const answers = await Promise.all([bulk([row(1)]), bulk([row(2)])])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const first = answers.find(({ status }) => status === 200)
    expect(answers.find(({ status }) => status === 409)?.body.message).toContain(`Job ${first?.body.id} `)
    await world.refuse(first?.body.id)
    expect((await bulk([row(2)])).status).toBe(200)
  })

  test('do not readmit a DID that was suspended while it had no rights', async () => {
    const guest = await world.team()
    const member = await world.organisation(guest, 'Suspended')
    const { id } = (await world.accept(owner, guest, registry, member)).body
    await world.call(owner, 'PATCH', `${path()}/${id}`, { status: 'suspended' })
    expect((await bulk([row(1), row(2, { did: member })])).body.message).toMatch(/row 2: its DID was suspended here/)
    await world.call(owner, 'PATCH', `${path()}/${id}`, { status: 'active' })
    expect((await bulk([row(1), row(2, { did: member })])).status).toBe(200)
  })

  test('are named one by one where the ledger refused them, and keep no name', async () => {
    const rows = Array.from({ length: 10 }, (_, index) => row(index, { issuerSchemas: schemas(100) }))
    const { body } = await bulk(rows)
    const parts = await world.scratch.db.read('system', (reader) =>
      reader.selectFrom('ledger_actions').select('items').where('job_id', '=', body.id).orderBy('part').execute(),
    )
    expect(parts.map(({ items }) => items?.length)).toEqual([6, 4])
    // A change of one of them reads only its part.
    const dids = (from: number) => rows.slice(from).map(({ did }) => did)
    expect(await pendingIssuers({ did: strangersDid(9) })).toEqual(new Set(dids(6)))
    expect(await pendingIssuers({ did: convener })).toEqual(new Set())
    expect(await pendingIssuers({ schema: schemaId(two) })).toEqual(new Set())
    expect(await pendingIssuers({ schema: schemaId(`${one}#99`) })).toEqual(new Set(dids(0)))
    await world.include(body.id, undefined, 0)
    expect(await job(body.id)).toMatchObject({ result: { done: 6, total: 10 } })
    expect((await names(body.id)).filter(({ state }) => state === 'active')).toHaveLength(6)
    await world.refuse(body.id, undefined, 1)
    const { status, result } = await job(body.id)
    const why = { type: 'NotAuthorized', message: 'Only the convener may.' }
    const refused = [7, 8, 9, 10].map((place) => ({ row: place, did: rows[place - 1]?.did, ...why }))
    expect({ status, result }).toEqual({ status: 'error', result: { ...why, done: 6, total: 10, refused } })
    const kept = rows.slice(0, 6).map(({ did }) => ({ did, state: 'active' }))
    expect(new Set(await names(body.id))).toEqual(new Set(kept))
  })

  test('are listed by the convener only', async () => {
    const [guest, stranger] = [await world.team(), await world.team()]
    await world.accept(owner, guest, registry, await world.organisation(guest, 'Guest'))
    expect([(await bulk([row(1)], guest)).status, (await bulk([row(1)], stranger)).status]).toEqual([403, 404])
  })
})

describe('delegates of an issuer', () => {
  let issuer: Did
  let team: TestTeam
  const url = (did = issuer) => `/trust-registries/${registry}/issuers/${did}/delegates`
  const put = (delegates: unknown[], by = team, headers = {}) => world.call(by, 'PUT', url(), { delegates }, headers)
  const get = (by: TestTeam, query = '') => world.call(by, 'GET', url() + query)
  const dids = (count: number) => Array.from({ length: count }, (_, index) => strangersDid(index + 1))
  beforeEach(async () => {
    team = await world.team()
    issuer = await world.organisation(team, 'University')
    await world.block((height) => world.issuer(registry, one, issuer, height))
  })

  test('are set by the issuer, and shown from their block on to it, the convener and participants', async () => {
    const [delegate, guest, stranger] = [strangersDid(1), await world.team(), await world.team()]
    await world.accept(owner, guest, registry, await world.organisation(guest, 'Guest'))
    const set = await put([delegate, delegate])
    expect(set).toMatchObject({ status: 200, pending: true, body: { delegates: [delegate] } })
    const action = await world.action(set.job)
    expect(action.did).toBe(issuer)
    expect(JSON.stringify(action.calls)).toMatch(new RegExp(`updateDelegatedIssuers.*${delegate}`, 'i'))
    const held = { registry_id: registry, issuer, issuer_order: '00', delegate, to_block: null }
    const block = await world.include(set.job, (from_block) => world.ledger.row('delegation', { ...held, from_block }))
    for (const by of [team, owner, guest])
      expect(await get(by)).toMatchObject({ status: 200, body: { delegates: [delegate] } })
    expect((await get(owner, `?at=${block - 1}`)).body).toEqual({ delegates: [] })
    expect([(await get(stranger)).status, (await put([], stranger)).status]).toEqual([404, 404])
    expect([(await put([], owner)).status, (await put([], guest)).status]).toEqual([403, 403])
    expect((await world.call(owner, 'GET', url(strangersDid(7)))).status).toBe(404)
  })

  test('are sent to the ledger as differences from the pending ones, and no stale list brings anybody back', async () => {
    const [a, b, c] = [strangersDid(1), strangersDid(2), strangersDid(3)]
    const held = { registry_id: registry, issuer, issuer_order: '00', to_block: null }
    await world.block(async (from_block) => {
      for (const delegate of [a, b]) await world.ledger.row('delegation', { ...held, delegate, from_block })
    })
    const { etag = '' } = await get(team)
    expect(etag).toMatch(/^"/)
    const opsOf = async (answer: Answer) => {
      const [call] = (await world.action(answer.job)).calls
      return call?.parameters.delegated
    }
    const removed = await put([b], team, { 'if-match': etag })
    expect(await opsOf(removed)).toEqual({ Modify: { [a]: 'Remove' } })
    // The index shows both still.
    expect((await put([a, b], team, { 'if-match': etag })).status).toBe(412)
    expect(await opsOf(await put([b, c]))).toEqual({ Modify: { [c]: 'Add' } })
    expect(await put([c, b])).toMatchObject({ job: '0', body: { delegates: [b, c].sort() } })
    const at = await world.include(removed.job)
    await world.admin('update ledger.delegation set to_block = $2 where delegate = $1 and to_block is null', [a, at])
    expect((await put([a, b], team, { 'if-match': etag })).status).toBe(412)
  })

  test('an issuer that only the ledger lists reads its registry, prices and leaves; other registries do not exist for it', async () => {
    const other = await world.registry(owner, convener, 'Another')
    const seen = async (id: Hex32) => (await world.call(team, 'GET', `/trust-registries/${id}`)).status
    expect([await seen(registry), await seen(other)]).toEqual([200, 404])
    await world.block((height) => world.schema(registry, one, height))
    const schema = `/trust-registries/${registry}/schemas/${encodeURIComponent(one)}`
    const priced = await world.call(team, 'POST', `${schema}/price`, { currency: 'EUR', digits: 0 })
    expect(await world.action(priced.job)).toMatchObject({ did: issuer })
    const [{ id }] = (await world.call(team, 'GET', path())).body.list
    const left = await world.call(team, 'DELETE', `${path()}/${id}`)
    expect(await world.action(left.job)).toMatchObject({ did: issuer })
    const block = await world.include(left.job, (height) => world.endIssuer(registry, issuer, height))
    expect([block, await seen(registry)]).toEqual([block, 404])
  })

  test('are at most sixteen DIDs, of any method, and not the issuer itself', async () => {
    expect([(await put([])).status, (await put(dids(16))).status, (await put(dids(17))).status]).toEqual([
      200, 200, 400,
    ])
    expect((await put([issuer])).body.message).toMatch(/not its own delegate/)
    expect((await put(['did:web:'])).body.message).toMatch(/delegates\.0/)
    const foreign = await put(['did:web:example.org'])
    expect(foreign).toMatchObject({ status: 200, body: { delegates: ['did:web:example.org'] } })
    const [call] = (await world.action(foreign.job)).calls
    expect(call?.parameters.delegated).toMatchObject({ Modify: { 'did:web:example.org': 'Add' } })
  })
})
