import { describe, expect, test } from 'vitest'
import { auditWorld, convener, delegate, did, id, issuer, LAST, list, registry, SCHEMA_URI, schema } from './testing.js'

const { get } = auditWorld()
const CALL_HASH = id(50)

describe('history', () => {
  const of = async (query = '') => (await get(`/trust-registries/${registry}/history?${query}`)).json()
  const ids = async (query = '') => (await of(query)).list.map((event: { id: string }) => event.id)

  test('names actor, change, time and key of each event, newest first', async () => {
    const history = await of()
    expect(history).toMatchObject({ total: 7, next: null })
    expect(history.list.map((event: { id: string }) => event.id)).toEqual([
      '10-1',
      '8-2',
      '8-1',
      '6-1',
      '5-2',
      '3-1',
      '2-1',
    ])
    expect(history.list[5]).toEqual({
      id: '3-1',
      block: 3,
      time: '2026-01-01T00:00:03.000Z',
      extrinsicHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      event: 'TrustRegistry.IssuerChanged',
      actor: convener,
      keyId: 1,
      nonce: 1,
      callHash: CALL_HASH,
      submitter: 'payer',
      registryId: registry,
      schemaId: schema,
      subject: issuer,
      after: { prices: {} },
    })
  })

  test('can be narrowed by event, DID, schema, time and block', async () => {
    expect(await ids('event=IssuerSuspended')).toEqual(['8-2', '8-1'])
    expect(await ids('event=TrustRegistry.IssuerSuspended,IssuerUnsuspended&order=asc')).toEqual(['8-1', '8-2', '10-1'])
    expect(await ids(`did=${delegate}`)).toEqual(['8-2', '6-1'])
    expect(await ids(`did=${issuer}`)).toEqual(['10-1', '8-1', '6-1', '5-2', '3-1'])
    expect(await ids(`schema=${encodeURIComponent(SCHEMA_URI)}`)).toEqual(['5-2', '3-1'])
    expect(await ids('from=3&to=8')).toEqual(['8-2', '8-1', '6-1', '5-2', '3-1'])
    expect(await ids('from=2026-01-01T00:00:08Z&to=2026-01-01T00:00:09.999Z')).toEqual(['8-2', '8-1'])
    expect(await ids('at=4')).toEqual(['3-1', '2-1'])
    expect(await ids('event=DelegateRemoved')).toEqual([])
  })

  test('pages of every size tell the same as one, in both orders', async () => {
    for (const order of ['asc', 'desc'])
      for (const limit of [1, 2, 6, 7]) {
        const found: string[] = []
        let cursor: string | null = ''
        while (cursor !== null) {
          const page = await of(`order=${order}&limit=${limit}${cursor && `&cursor=${cursor}`}`)
          expect(page.total).toBe(7)
          expect(page.list.length).toBeLessThanOrEqual(limit)
          found.push(...page.list.map((event: { id: string }) => event.id))
          cursor = page.next
        }
        expect(found).toEqual(await ids(`order=${order}`))
      }
  })

  test('of a DID, of a revocation registry, and of everything', async () => {
    const events = async (url: string) => (await get(url)).json().list.map((event: { event: string }) => event.event)
    expect(await events(`/dids/${delegate}/history`)).toEqual([
      'TrustRegistry.IssuerSuspended',
      'TrustRegistry.DelegateAdded',
    ])
    expect(await events(`/registries/${list}/history`)).toEqual(['Revocation.RegistryCreated'])
    expect(await events('/ledger/events?event=Created,RegistryCreated')).toEqual([
      'Revocation.RegistryCreated',
      'Did.Created',
    ])
    expect((await get('/ledger/events')).json().total).toBe(9)
  })

  test('a subject that the ledger did not know at the point asked for is missing', async () => {
    const missing = [
      '/trust-registries/nobody/history',
      `/trust-registries/${id(99)}/history`,
      `/dids/${did(99)}/history`,
    ]
    for (const url of [...missing, `/registries/${id(99)}/history`, '/registries/x/history']) {
      const answer = await get(url)
      expect([answer.statusCode, Number(answer.headers['accredit-block']) > 1], url).toEqual([404, true])
    }
    expect((await get('/dids/nobody/history')).statusCode).toBe(400)
    const early = await get(`/trust-registries/${registry}/history?at=1`)
    expect([early.statusCode, early.headers['accredit-block']]).toEqual([404, '1'])
  })

  test('an event that the ledger does not know is named in the refusal', async () => {
    for (const name of ['NeverHappened', 'Did.IssuerSuspended', 'issuersuspended', 'toString'])
      expect((await get(`/ledger/events?event=IssuerSuspended,${name}`)).json()).toMatchObject({
        status: 400,
        type: 'invalid_request',
        message: expect.stringContaining(`unknown event ${name}`),
      })
  })

  test('a query that makes no sense is refused', async () => {
    for (const bad of [
      'limit=0',
      'limit=1001',
      'order=up',
      'cursor=1',
      'cursor=%25',
      'from=yesterday',
      'from=9&to=8',
      'from=2026-01-01T00:00:08.001Z&to=2026-01-01T00:00:08Z',
      'did=x',
      'schema=x',
      'event=a%3Bb',
    ])
      expect((await get(`/ledger/events?${bad}`)).statusCode, bad).toBe(400)
  })

  test('a cursor goes on with its own query only', async () => {
    const { next } = await of('order=asc&limit=2')
    expect(await ids(`order=asc&limit=1&cursor=${next}&at=${LAST}`)).toEqual(['5-2'])
    const others = ['order=desc&', 'order=asc&event=IssuerChanged&', `order=asc&did=${issuer}&`, 'order=asc&from=1&']
    const urls = others.map((other) => `/trust-registries/${registry}/history?${other}`)
    for (const url of [...urls, '/ledger/events?order=asc&', `/dids/${issuer}/history?order=asc&`])
      expect((await get(`${url}cursor=${next}`)).json(), url).toMatchObject({
        status: 400,
        type: 'invalid_request',
        message: expect.stringContaining('another query'),
      })
  })

  test('is told in the form that is wanted most', async () => {
    const form = async (accept: string) => {
      const { headers } = await get('/ledger/events', { accept })
      expect(headers.vary).toBe('Accept')
      return String(headers['content-type']).split(';')[0]
    }
    expect(await form('application/json, text/csv;q=0')).toBe('application/json')
    expect(await form('application/json, text/csv;q=0.9')).toBe('application/json')
    expect(await form('application/x-ndjson;q=0.5, text/csv')).toBe('text/csv')
    expect(await form('application/json;q=0.5, application/x-ndjson;q=0.5')).toBe('application/x-ndjson')
  })

  test.each(['limit=1', 'cursor=x'])(
    'refuses %s in a streamed request, which always means all events',
    async (page) => {
      for (const accept of ['application/x-ndjson', 'text/csv']) {
        const answer = await get(`/ledger/events?${page}`, { accept })
        expect([answer.statusCode, answer.json().message]).toEqual([400, expect.stringContaining(page.slice(0, 5))])
      }
    },
  )

  test('streams all of it as lines of JSON or as CSV', async () => {
    const url = `/trust-registries/${registry}/history?order=asc`
    const lines = await get(url, { accept: 'application/x-ndjson' })
    expect(lines.headers['content-type']).toMatch('application/x-ndjson')
    const events = lines.body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events).toEqual((await get(url)).json().list)
    const csv = await get(url, { accept: 'text/csv, */*' })
    expect(csv.headers['content-type']).toMatch('text/csv')
    const rows = csv.body.split('\r\n')
    expect(rows).toHaveLength(9)
    expect(rows[0]).toMatch(/^id,block,time,event,actor/)
    expect(rows[1]).toContain('"{""name"":""Universities, \\""all\\"" of them""}"')
    expect(csv.headers['accredit-block']).toBe(String(LAST))
  })
})
