import { beforeAll, describe, expect, test } from 'vitest'
import { auditWorld, convener, delegate, did, id, issuer, registry, schema } from './testing.js'

const [living, other] = [id(41), id(42)]
const [first, second, third] = [did(51), did(52), did(53)]
const world = auditWorld()

beforeAll(aLivingRegistry)

/**
 * Made at block 2; two issuers, one of which leaves; at 9 it is renamed and another opened to everybody; at 11 they and
 * a delegate end.
 */
async function aLivingRegistry(): Promise<void> {
  const { ledger } = world
  const since = (from_block: number, to_block: number | null = null) => ({ from_block, to_block, registry_id: living })
  const facts = { convener, pending_convener: null, gov_framework: 'https://x#1', version: 1 }
  await ledger.row('trust_registry', { ...since(2, 9), ...facts, name: 'Old' })
  await ledger.row('trust_registry', { ...since(9), ...facts, name: 'New', pending_convener: issuer })
  await ledger.row('registry_schema', { ...since(3), schema_id: schema, is_public: false })
  await ledger.row('registry_schema', { ...since(3, 9), schema_id: other, is_public: false })
  await ledger.row('registry_schema', { ...since(9), schema_id: other, is_public: true })
  await ledger.row('issuer', { ...since(3, 7), schema_id: schema, did: first, prices: {} })
  await ledger.row('issuer', { ...since(4, 8), schema_id: schema, did: second, prices: {} })
  await ledger.row('issuer', { ...since(8), schema_id: schema, did: second, prices: { USD: '7' } })
  await ledger.row('verifier', { ...since(5, 6), schema_id: schema, did: delegate })
  await ledger.row('delegation', { ...since(6), issuer: second, issuer_order: '0x00', delegate })
  await ledger.row('delegation', { ...since(4), issuer: second, issuer_order: '0x00', delegate: third })
  await ledger.row('suspension', { ...since(10), did: second })
  const act = { trust_registry_id: living, actor: convener, key_id: 1, submitter: 'payer' }
  const changed = { ...act, name: 'TrustRegistry.IssuerChanged', schema_id: schema }
  const free = { prices: {} }
  await ledger.event({ ...act, block: 2, index: 7, name: 'TrustRegistry.TrustRegistryInitialized', subject: convener })
  await ledger.event({ ...changed, block: 3, index: 7, subject: first, after: free })
  await ledger.event({ ...changed, block: 4, index: 7, subject: second, after: free })
  const byIssuer = { ...act, actor: second, subject: delegate, after: { issuer: second } }
  await ledger.event({ ...byIssuer, block: 6, index: 7, name: 'TrustRegistry.DelegateAdded' })
  await ledger.event({ ...changed, block: 7, index: 7, subject: first, actor: first, before: free })
  await ledger.event({ ...changed, block: 8, index: 7, subject: second, before: free, after: { prices: { USD: '7' } } })
  const names = { before: { name: 'Old', govFramework: 'x' }, after: { name: 'New', govFramework: 'x' } }
  await ledger.event({ ...act, block: 9, index: 7, name: 'TrustRegistry.TrustRegistryUpdated', ...names })
  await ledger.event({ ...act, block: 9, index: 8, name: 'TrustRegistry.SchemaPublicSet', schema_id: other })
  await ledger.event({ ...act, block: 9, index: 9, name: 'TrustRegistry.TransferProposed', subject: issuer })
  await ledger.event({ ...act, block: 10, index: 7, name: 'TrustRegistry.IssuerSuspended', subject: second })
  for (const [index, one] of [first, second, third].entries()) {
    await ledger.row('did', { from_block: 1, to_block: 11, did: one, submitter: 'payer' })
    await ledger.event({ block: 11, index, name: 'Did.Deactivated', actor: one, key_id: 1, subject: one })
  }
}

const get = async (url: string) => {
  const answer = await world.get(url)
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
}
const diff = (query: string, of: string = living) => get(`/trust-registries/${of}/diff?${query}`)
const changes = async (query: string) => (await diff(query)).body.list

describe('the difference between two points of a registry', () => {
  test('names additions, removals and changes, each with its actor, time and event', async () => {
    const by = (block: number, event: string, actor = convener) => ({
      actor,
      keyId: 1,
      block,
      event,
      time: `2026-01-01T00:00:${String(block).padStart(2, '0')}.000Z`,
    })
    const { body, headers } = await diff('from=4&to=10')
    expect(body).toMatchObject({ registryId: living, from: { block: 4 }, to: { block: 10 }, next: null })
    expect(headers['accredit-block']).toBe('10')
    expect(body.list).toEqual([
      { change: 'nameChanged', before: 'Old', after: 'New', ...by(9, '9-7') },
      { change: 'transferProposed', after: issuer, ...by(9, '9-9') },
      { change: 'schemaOpened', schemaId: other, before: false, after: true, ...by(9, '9-8') },
      { change: 'participantJoined', did: delegate, ...by(6, '6-7', second) },
      { change: 'participantLeft', did: first, ...by(7, '7-7', first) },
      { change: 'rightLost', did: first, schemaId: schema, role: 'issuer', before: {}, ...by(7, '7-7', first) },
      {
        change: 'pricesChanged',
        did: second,
        schemaId: schema,
        role: 'issuer',
        before: {},
        after: { USD: '7' },
        ...by(8, '8-7'),
      },
      { change: 'delegateAdded', did: delegate, via: second, ...by(6, '6-7', second) },
      { change: 'suspended', did: second, ...by(10, '10-7') },
    ])
  })

  test('is nothing between a point and itself, and everything from before the beginning', async () => {
    expect(await changes('from=6&to=6')).toEqual([])
    expect(await changes('from=2026-01-01T00:00:06Z&to=2026-01-01T00:00:06.999Z')).toEqual([])
    const names = (await changes('from=1&to=3')).map(({ change, event }: { change: string; event?: string }) => [
      change,
      event,
    ])
    expect(names).toEqual([
      ['created', '2-7'],
      ['schemaAdded', undefined],
      ['schemaAdded', undefined],
      ['participantJoined', '3-7'],
      ['rightGained', '3-7'],
    ])
    // A right that came at block 5 and went at 6 is no difference.
    expect(await changes('from=4&to=6')).toMatchObject([{ change: 'participantJoined' }, { change: 'delegateAdded' }])
  })

  test('includes the deactivation of listed and delegated DIDs; one that left earlier counts as removed only', async () => {
    const at = { block: 11, time: '2026-01-01T00:00:11.000Z', keyId: 1 }
    expect(await changes('from=10&to=11')).toEqual([
      { change: 'deactivated', did: second, actor: second, event: '11-1', ...at },
      { change: 'deactivated', did: third, actor: third, event: '11-2', ...at },
    ])
    expect(await changes('from=11&to=12')).toEqual([])
  })

  test('tells the same in pages of every size, all of one later point', async () => {
    for (const limit of [1, 4, 8, 9]) {
      for (const to of ['', '&to=12']) {
        const found = []
        let cursor: string | null = ''
        while (cursor !== null) {
          const { body } = await diff(`from=4${to}&limit=${limit}${cursor && `&cursor=${cursor}`}`)
          found.push(...body.list)
          cursor = body.next
        }
        expect(found).toEqual(await changes('from=4&to=12'))
      }
    }
    const { next } = (await diff('from=4&limit=1')).body
    for (const another of ['from=5&', 'from=4&to=12&'])
      expect(await diff(`${another}cursor=${next}`)).toMatchObject({ status: 400, body: { type: 'invalid_request' } })
  })

  test('needs two points in their order, and a registry that was there', async () => {
    for (const bad of [
      'to=4',
      'from=5&to=4',
      'from=2026-01-01T00:00:05Z&to=4',
      'from=2026-01-01T00:00:05.002Z&to=2026-01-01T00:00:05.001Z',
      'from=99',
      'from=2&to=99',
      'from=x',
      'from=2026-01-01',
      'from=2025-12-31T23:59:59Z',
      'from=1&to=2999-01-01T00:00:00Z',
      'from=1&limit=0',
      'from=1&limit=1001',
      'from=1&cursor=x',
    ])
      expect((await diff(bad)).status, bad).toBe(400)
    expect((await diff('from=99')).body.message).toContain("'from' is block 99")
    expect((await diff('from=0&to=1')).status).toBe(404)
    expect((await diff('from=1', 'nobody')).status).toBe(404)
  })
})

describe('the rights of a DID', () => {
  const rights = (who: string, query = '') => get(`/dids/${who}/rights?${query}`)

  test('are all it may issue and verify, itself or for another, since when and by which event', async () => {
    const right = { schemaId: schema, role: 'issuer', direct: false, suspended: false }
    expect((await rights(delegate)).body).toEqual({
      list: [
        {
          ...right,
          registryId: registry,
          via: issuer,
          effective: true,
          since: '2026-01-01T00:00:06.000Z',
          event: '6-1',
        },
        {
          ...right,
          registryId: living,
          via: second,
          effective: false,
          since: '2026-01-01T00:00:06.000Z',
          event: '6-7',
        },
      ],
      next: null,
    })
    expect((await rights(delegate, 'at=5')).body.list).toEqual([
      {
        registryId: living,
        schemaId: schema,
        role: 'verifier',
        direct: true,
        suspended: false,
        effective: true,
        since: '2026-01-01T00:00:05.000Z',
      },
    ])
  })

  test('a suspended one is shown as such, from the block of its suspension', async () => {
    const own = { direct: true, since: '2026-01-01T00:00:04.000Z', event: '4-7' }
    expect((await rights(second, 'at=9')).body.list).toMatchObject([{ ...own, suspended: false, effective: true }])
    expect((await rights(second)).body.list).toMatchObject([{ ...own, suspended: true, effective: false }])
  })

  test('are told in pages; nobody’s are none, and no DID is missing', async () => {
    const { list, next } = (await rights(delegate, 'limit=1')).body
    const rest = (await rights(delegate, `limit=1&cursor=${next}`)).body
    expect([...list, ...rest.list]).toEqual((await rights(delegate)).body.list)
    expect(rest.next).toBeNull()
    expect((await rights(issuer, `cursor=${next}`)).status).toBe(400)
    expect((await rights(did(99))).body).toEqual({ list: [], next: null })
    expect((await rights(delegate, 'at=2')).body).toEqual({ list: [], next: null })
    expect((await rights('nobody')).status).toBe(400)
    for (const bad of ['at=99', 'at=x', 'limit=0', 'limit=1001', 'cursor=x'])
      expect((await rights(delegate, bad)).status, bad).toBe(400)
  })
})
