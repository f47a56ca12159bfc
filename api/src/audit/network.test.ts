import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hashOf } from '../ledger/testing/test-index.js'
import { trqp } from '../trqp/operations.js'
import { audit } from './operations.js'
import { auditWorld, issuer, LAST, registry, schema } from './testing.js'

const world = auditWorld([audit, trqp])
const { get } = world

/** Block n was made n seconds after the first one. The issuer is suspended from block 8 to 10. */
const FINAL = 9
const question = `/trust-registries/${registry}/authorization?did=${issuer}&schema=${schema}&role=issuer`
const post = async (url: string, payload: object) => world.app.inject({ method: 'POST', url, payload })
const graphql = (at = '') =>
  post('/graphql', {
    query: `{ authorization(registryId: "${registry}", did: "${issuer}", schema: "${schema}", role: issuer${at}) { authorized block } }`,
  })
const recognised = () =>
  post('/trqp/authorization', { authority_id: registry, entity_id: issuer, action: 'issue', resource: schema })

beforeEach(async () => {
  world.clock.set(FINAL + 5)
  await world.ledger.finality({ height: FINAL, rule: 'grandpa' })
})
afterEach(() => world.ledger.replaceBlock(FINAL, hashOf(FINAL)))

describe('on a network of validators', () => {
  test('the present is the newest final block, and no later one is told of', async () => {
    const { headers, ...now } = await get(question)
    expect(now.json()).toMatchObject({ authorized: false, reason: 'suspended', block: FINAL })
    expect(headers).toMatchObject({ 'accredit-block': String(FINAL), 'accredit-final': 'true' })
    expect((await get(`/dids/${issuer}/rights`)).headers['accredit-block']).toBe(String(FINAL))
    const events = await get(`/trust-registries/${registry}/history`)
    expect(events.headers['accredit-block']).toBe(String(FINAL))
    expect(events.body).toContain('IssuerSuspended')
    expect(events.body).not.toContain('IssuerUnsuspended')
    await world.ledger.finality({ height: 10, rule: 'grandpa' })
    expect((await get(question)).json()).toMatchObject({ authorized: true, block: 10 })
  })

  test('a block that is not final yet cannot be asked for, and an instant after the final one means that one', async () => {
    const later = await get(`${question}&at=${FINAL + 1}`)
    expect(later.statusCode).toBe(400)
    expect(later.json()).toMatchObject({ message: `'at' is block 10, and the newest that is final is ${FINAL}` })
    const after = await get(`${question}&at=2026-01-01T00:00:11Z`)
    expect(after.json()).toMatchObject({ authorized: false, block: FINAL })
    expect(after.headers['cache-control']).toBe('no-cache')
    expect((await get(`${question}&at=${FINAL}`)).headers['cache-control']).toBe('no-cache')
    expect((await get(`${question}&at=7`)).headers['cache-control']).toContain('immutable')
  })

  test('a final block that is older than it may be ends every answer about the present, and none about the past', async () => {
    world.clock.set(FINAL + 60)
    expect((await get(question)).statusCode).toBe(200)
    world.clock.set(FINAL + 127)
    const refused = await get(question)
    expect([refused.statusCode, refused.json().type]).toEqual([503, 'ledger_unavailable'])
    expect(refused.json().message).toContain('The newest final block of the ledger is 127 seconds old')
    expect((await get(`/dids/${issuer}/rights`)).statusCode).toBe(503)
    expect((await get('/ready')).json()).toMatchObject({
      ready: false,
      checks: { ledgerIndex: 'The newest final block of the ledger is 127 seconds old' },
    })
    expect((await get('/ledger/status')).json()).toMatchObject({
      isFresh: false,
      lagSeconds: 127,
      final: { block: FINAL },
      present: { block: FINAL, time: '2026-01-01T00:00:09.000Z' },
      indexed: { block: LAST },
    })
    expect((await get('/metrics')).body).toMatch(/^accredit_index_lag_seconds 127$/m)
    expect((await get(`${question}&at=7`)).json()).toMatchObject({ authorized: true, block: 7 })
  })

  test('a final block that lies ahead of the clock by more than clocks differ is as good as an old one', async () => {
    world.clock.set(FINAL - 10)
    expect((await get(question)).statusCode).toBe(200)
    world.clock.set(FINAL - 11)
    const refused = await get(question)
    expect(refused.statusCode).toBe(503)
    expect(refused.json().message).toContain('11 seconds ahead of the clock here')
  })

  test('a block of another fork at the height of the final one is no present', async () => {
    await world.ledger.replaceBlock(FINAL, hashOf(99))
    const refused = await get(question)
    expect([refused.statusCode, refused.json().type]).toEqual([503, 'ledger_unavailable'])
  })

  test('GraphQL and TRQP stand on the same block', async () => {
    const answer = await graphql()
    expect(answer.json()).toMatchObject({ data: { authorization: { authorized: false, block: FINAL } } })
    expect(answer.headers).toMatchObject({ 'accredit-block': String(FINAL), 'accredit-final': 'true' })
    expect((await recognised()).headers).toMatchObject({ 'accredit-block': String(FINAL), 'accredit-final': 'true' })
    world.clock.set(FINAL + 127)
    expect((await recognised()).statusCode).toBe(503)
    expect((await graphql()).body).toContain('ledger_unavailable')
  })
})

test('the newest block is the present where it is final when it is made, however long ago that was', async () => {
  world.clock.set(86_400)
  await world.ledger.finality({ height: LAST })
  const now = await get(question)
  expect(now.json()).toMatchObject({ authorized: true, block: LAST })
  expect(now.headers['accredit-final']).toBe('true')
  expect((await get('/ledger/status')).json()).toMatchObject({ isFresh: true, lagSeconds: expect.closeTo(0, 0) })
})
