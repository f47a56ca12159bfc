import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditWorld, delegate, id, issuer, LAST, registry, SCHEMA_URI, schema, type World } from './testing.js'

let world: World

beforeAll(async () => {
  world = await auditWorld()
})

afterAll(() => world?.close())

const get = (url: string, headers: Record<string, string> = {}) => world.app.inject({ url, headers })

describe('authorisation', () => {
  const ask = (who: string, at?: string, role = 'issuer') =>
    get(
      `/trust-registries/${registry}/authorization?did=${who}&schema=${encodeURIComponent(SCHEMA_URI)}&role=${role}` +
        (at === undefined ? '' : `&at=${encodeURIComponent(at)}`),
    )

  test('a suspended issuer is refused from the block of its suspension, and accepted one block earlier', async () => {
    expect((await ask(issuer, '7')).json()).toEqual({
      authorized: true,
      reason: 'direct',
      since: '2026-01-01T00:00:03.000Z',
      event: '3-1',
      explanation: `${issuer} may issue this schema, for the registry lists it as issuer, since 2026-01-01T00:00:03.000Z by event 3-1.`,
      block: 7,
      time: '2026-01-01T00:00:07.000Z',
    })
    expect((await ask(issuer, '8')).json()).toMatchObject({
      authorized: false,
      reason: 'suspended',
      since: '2026-01-01T00:00:08.000Z',
      event: '8-1',
      explanation: expect.stringContaining('suspended it, since 2026-01-01T00:00:08.000Z by event 8-1.'),
    })
    expect((await ask(issuer)).json()).toMatchObject({ reason: 'direct', event: '10-1' })
    expect((await ask(issuer, '2026-01-01T00:00:07.999Z')).json()).toMatchObject({ authorized: true })
    expect((await ask(issuer, '2026-01-01T00:00:08Z')).json()).toMatchObject({ authorized: false })
  })

  test('a delegate is authorised through its issuer, and not while that one is suspended', async () => {
    expect((await ask(delegate)).json()).toMatchObject({
      authorized: true,
      reason: 'delegated',
      via: issuer,
      since: '2026-01-01T00:00:10.000Z',
      event: '10-1',
    })
    expect((await ask(delegate, '7')).json()).toMatchObject({ reason: 'delegated', event: '6-1' })
    expect((await ask(delegate, '8')).json()).toMatchObject({
      authorized: false,
      reason: 'delegator_suspended',
      event: '8-1',
    })
    expect((await ask(delegate, '5')).json()).toMatchObject({ authorized: false, reason: 'not_listed' })
  })

  test('names the point that the answer is true for', async () => {
    const { headers } = await ask(issuer, '7')
    expect(headers).toMatchObject({ 'accredit-block': '7', 'accredit-block-time': '2026-01-01T00:00:07.000Z' })
    expect((await ask(issuer)).headers).toMatchObject({ 'accredit-block': String(LAST) })
  })

  test('what is not known is an answer, and what is malformed a refusal', async () => {
    const url = (registryId: string, more: string) =>
      `/trust-registries/${registryId}/authorization?role=issuer&${more}`
    const known = `did=${issuer}&schema=${schema}`
    expect((await get(url(id(99), known))).json()).toMatchObject({ authorized: false, reason: 'unknown_registry' })
    expect((await get(url('nobody-has-this', known))).json()).toMatchObject({ reason: 'unknown_registry' })
    expect((await get(url(registry, `did=${issuer}&schema=${id(9)}`))).json()).toMatchObject({
      reason: 'unknown_schema',
    })
    for (const bad of [`did=nobody&schema=${schema}`, `did=${issuer}&schema=x`, `did=${issuer}`, `${known}&at=0x1`])
      expect((await get(url(registry, bad))).statusCode, bad).toBe(400)
  })
})

test('status tells how far the ledger and its index are', async () => {
  const point = { block: LAST, time: '2026-01-01T00:00:12.000Z' }
  const { lagSeconds, ...status } = (await get('/ledger/status')).json()
  expect(status).toEqual({
    genesisHash: id(0),
    specVersion: 1,
    best: point,
    final: point,
    indexed: point,
    writing: 'unavailable',
  })
  // No node is heard here, so that it grows with the time since the index was written.
  expect(lagSeconds).toBeGreaterThanOrEqual(0)
  expect(lagSeconds).toBeLessThan(60)
})
