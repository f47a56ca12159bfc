import { beforeAll, describe, expect, test } from 'vitest'
import { MAX_LAG_MS } from '../ledger/testing/test-index.js'
import { auditWorld, convener, delegate, did, id, issuer, LAST, registry, SCHEMA_URI, schema } from './testing.js'

const began = Date.now()
const world = auditWorld()
const { get } = world

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

  test('an unknown thing is an answer, and a malformed one a refusal', async () => {
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

describe('a kept authorisation', () => {
  const ask = (more: string, of: string = registry, headers = {}) =>
    get(`/trust-registries/${of}/authorization?did=${issuer}&schema=${schema}&role=issuer${more}`, headers)
  const cacheControl = async (more: string, of?: string) => (await ask(more, of)).headers['cache-control']

  test('is good for ever about a block that is settled, and asked for anew about others and by a slug', async () => {
    for (const settled of ['&at=7', '&at=2026-01-01T00:00:07.999Z'])
      expect(await cacheControl(settled)).toBe('public, max-age=86400, immutable')
    for (const other of ['', `&at=${LAST}`, '&at=2026-01-01T00:00:59Z'])
      expect(await cacheControl(other)).toBe('no-cache')
    expect(await cacheControl('&at=7', 'nobody-has-this')).toBe('no-cache')
  })

  test('has a tag of its own at each block, by which nothing is sent twice', async () => {
    const tagOf = async (more: string) => String((await ask(more)).headers.etag)
    const [now, past] = [await tagOf(''), await tagOf('&at=7')]
    expect(now).not.toBe(past)
    for (const [more, tag] of [
      ['', now],
      ['&at=7', past],
    ] as const) {
      const again = await ask(more, registry, { 'if-none-match': tag })
      expect({ status: again.statusCode, body: again.body }).toEqual({ status: 304, body: '' })
    }
    expect((await ask('', registry, { 'if-none-match': past })).statusCode).toBe(200)
  })

  test('about a settled block is given again as it was, to conditions too, and never for another question', async () => {
    const role = '&at=6&role=issuer'
    const question = `/trust-registries/${registry}/authorization?did=${issuer}&schema=${schema}${role}`
    const first = await get(question)
    // Nothing can change what was settled: a row that would tell otherwise shows who was asked.
    await world.ledger.row('suspension', { from_block: 6, to_block: 7, registry_id: registry, did: issuer })
    const again = await get(question)
    expect(again.body).toBe(first.body)
    for (const name of ['etag', 'cache-control', 'accredit-block', 'accredit-block-time', 'content-type'])
      expect(again.headers[name], name).toBe(first.headers[name])
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    const tag = String(first.headers.etag)
    const asking = async (headers: Record<string, string>) => (await get(question, headers)).statusCode
    expect(await asking({ 'if-none-match': tag })).toBe(304)
    expect(await asking({ 'if-none-match': '"another"' })).toBe(200)
    expect(await asking({ 'if-match': '"another"' })).toBe(412)
    expect(await asking({ 'if-none-match': 'no tag' })).toBe(400)
    expect((await get(`${question}&unknown=1`)).statusCode).toBe(400)
    expect((await get(question.replace(role, '&at=6&role=verifier'))).json()).toMatchObject({ reason: 'suspended' })
  })

  test('about now is never that of a block that another one has replaced', async () => {
    const { ledger } = world
    const who = did(60)
    const question = `/trust-registries/${registry}/authorization?did=${who}&schema=${schema}&role=issuer`
    const reason = async () => (await get(question)).json().reason
    const { hash } = await ledger.index.head()
    expect([await reason(), await reason()]).toEqual(['not_listed', 'not_listed'])
    await ledger.row('suspension', { from_block: LAST, to_block: null, registry_id: registry, did: who })
    await ledger.replaceBlock(LAST, id(60))
    expect(await reason()).toBe('suspended')
    await ledger.finality({ height: LAST, hash: id(60) })
    expect([await reason(), await reason()]).toEqual(['suspended', 'suspended'])
    await ledger.replaceBlock(LAST, hash)
    await ledger.finality({ height: LAST })
    expect(await reason()).toBe('not_listed')
  })

  test('is not the answer about now when the index lags, nor kept by anybody', async () => {
    expect((await ask('')).statusCode).toBe(200)
    await world.ledger.finality({ height: LAST + 1, behindMsAgo: MAX_LAG_MS + 1 })
    const late = await ask('')
    expect(late.statusCode).toBe(503)
    expect([late.headers.etag, late.headers['cache-control']]).toEqual([undefined, undefined])
    await world.ledger.finality({ height: LAST })
    expect((await ask('')).statusCode).toBe(200)
  })
})

describe('the event that a verdict names, of several in one block,', () => {
  const [both, former, lender, gone] = [did(41), did(42), did(43), did(44)]
  const open = id(45)

  const answer = async (who: string, role: string, at: number, of = schema) =>
    (await get(`/trust-registries/${registry}/authorization?did=${who}&schema=${of}&role=${role}&at=${at}`)).json()
  const rights = async (who: string, at: number) => (await get(`/dids/${who}/rights?at=${at}`)).json().list

  beforeAll(async () => {
    const { ledger } = world
    const at = (from_block: number, to_block: number | null = null) => ({ from_block, to_block, registry_id: registry })
    const place = (who: string, of = schema) => ({ schema_id: of, did: who })
    const tell = (
      block: number,
      index: number,
      name: string,
      subject: string | null,
      change: object = {},
      of = schema,
    ) =>
      ledger.event({
        block,
        index,
        name: `TrustRegistry.${name}`,
        actor: convener,
        trust_registry_id: registry,
        schema_id: of,
        subject,
        ...change,
      })
    const [gave, took] = [{ after: { prices: {} } }, { before: { prices: {} } }]
    const [listed, unlisted] = [
      { before: { listed: false }, after: { listed: true } },
      { before: { listed: true }, after: { listed: false } },
    ]

    await ledger.row('issuer', { ...at(9, 11), ...place(both), prices: {} })
    await ledger.row('verifier', { ...at(9, 11), ...place(both) })
    await tell(9, 11, 'IssuerChanged', both, gave)
    await tell(9, 12, 'VerifierChanged', both, listed)
    await tell(11, 11, 'IssuerChanged', both, took)
    await tell(11, 12, 'VerifierChanged', both, unlisted)

    await ledger.row('registry_schema', { ...at(9), schema_id: open, is_public: true })
    await ledger.row('issuer', { ...at(9), ...place(both, open), prices: {} })
    await tell(9, 14, 'IssuerChanged', both, gave, open)
    await tell(9, 15, 'SchemaPublicSet', null, { before: { public: false }, after: { public: true } }, open)

    await ledger.row('issuer', { ...at(4, 11), ...place(former), prices: {} })
    await ledger.row('issuer', { ...at(4), ...place(lender), prices: {} })
    await ledger.row('delegation', { ...at(5), issuer: lender, issuer_order: '0x01', delegate: former })
    await ledger.row('suspension', { ...at(10), did: lender })
    await tell(10, 21, 'IssuerSuspended', lender)
    await tell(11, 21, 'IssuerChanged', former, took)

    await ledger.row('did', { from_block: 1, to_block: 12, did: gone, submitter: 'payer' })
    await ledger.row('issuer', { ...at(4), ...place(gone), prices: {} })
    await ledger.row('suspension', { ...at(8), did: gone })
  })

  test('is of the requested role where two came and went', async () => {
    expect(await answer(both, 'issuer', 10)).toMatchObject({ reason: 'direct', event: '9-11' })
    expect(await answer(both, 'verifier', 10)).toMatchObject({ reason: 'direct', event: '9-12' })
    expect(await answer(both, 'issuer', 11)).toMatchObject({ reason: 'not_listed', event: '11-11' })
    expect(await answer(both, 'verifier', 11)).toMatchObject({ reason: 'not_listed', event: '11-12' })
    const held = (await rights(both, 10)).filter(({ schemaId }: { schemaId: string }) => schemaId === schema)
    expect(held).toMatchObject([
      { role: 'issuer', event: '9-11' },
      { role: 'verifier', event: '9-12' },
    ])
  })

  test('is of the requested right where a schema was opened when an issuer came', async () => {
    expect(await answer(both, 'issuer', 10, open)).toMatchObject({ reason: 'direct', event: '9-14' })
    expect(await answer(both, 'verifier', 10, open)).toMatchObject({ reason: 'public_schema', event: '9-15' })
  })

  test('is of the requested DID where it could act by itself when its delegator was suspended', async () => {
    expect(await answer(former, 'issuer', 10)).toMatchObject({ authorized: true, reason: 'direct' })
    expect(await answer(former, 'issuer', 11)).toMatchObject({
      authorized: false,
      reason: 'delegator_suspended',
      since: '2026-01-01T00:00:11.000Z',
      event: '11-21',
    })
  })

  test('a suspended DID stays so when it is deactivated', async () => {
    for (const at of [11, 12])
      expect(await rights(gone, at)).toMatchObject([{ role: 'issuer', suspended: true, effective: false }])
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
    present: point,
    isFresh: true,
    writing: 'unavailable',
  })
  // No node is heard here, so that the lag grows with the time since the index was written.
  expect(lagSeconds).toBeGreaterThanOrEqual(0)
  expect(lagSeconds).toBeLessThanOrEqual((Date.now() - began) / 1000 + 1)
})
