import { didSvc, type Hex32, hex32Of, schemaId } from '@accredit/chain'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { audit } from '../audit/operations.js'
import { indexedDatabase, type TestIndex, testIndex } from '../ledger/testing/test-index.js'
import { type ScratchDatabase, testEnvironment } from '../platform/testing/scratch-database.js'
import { trqp } from './operations.js'

const id = (byte: number) => hex32Of(new Uint8Array(32).fill(byte))
const did = (byte: number) => didSvc(id(byte))
const [ministry, board, university, delegate] = [did(1), did(2), did(3), did(4)]
const [degrees, boards, diplomas, alone] = [id(20), id(21), id(22), id(23)]
const DEGREE = 'https://schemas.example/Degree.json'
const OPEN = 'https://schemas.example/Open.json'
const API = 'http://127.0.0.1:3300'

let scratch: ScratchDatabase
let ledger: TestIndex
let app: FastifyInstance

/**
 * The ministry convenes a registry of degrees that lists a university (suspended from block 8 to 10) and, from block 6
 * on, the board. The board convenes two registries of its own, and lists itself in one.
 */
beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  await ledger.blocks(12, { start: new Date('2026-01-01T00:00:00Z') })
  const since = (from_block: number, to_block: number | null = null) => ({ from_block, to_block })
  const registry = (registry_id: Hex32, convener: string, from: number) =>
    ledger.row('trust_registry', {
      ...since(from),
      registry_id,
      convener,
      pending_convener: null,
      name: 'R',
      gov_framework: 'g',
      version: 1,
    })
  await registry(degrees, ministry, 2)
  await registry(boards, board, 3)
  await registry(diplomas, board, 5)
  await registry(alone, delegate, 5)
  const place = { registry_id: degrees, schema_id: schemaId(DEGREE) }
  await ledger.row('registry_schema', { ...since(3), ...place, is_public: false })
  await ledger.row('registry_schema', {
    ...since(3),
    registry_id: degrees,
    schema_id: schemaId(OPEN),
    is_public: true,
  })
  await ledger.row('issuer', { ...since(3), ...place, did: university, prices: {} })
  await ledger.row('issuer', { ...since(6), ...place, did: board, prices: {} })
  const own = { ...since(6), registry_id: boards, schema_id: schemaId(OPEN) }
  await ledger.row('registry_schema', { ...own, is_public: false })
  await ledger.row('issuer', { ...own, did: board, prices: {} })
  await ledger.row('verifier', { ...since(4), ...place, did: ministry })
  await ledger.row('suspension', { ...since(8, 10), registry_id: degrees, did: university })
  await ledger.row('suspension', { ...since(11), registry_id: degrees, did: board })
  await ledger.row('delegation', {
    ...since(4),
    registry_id: degrees,
    issuer: university,
    issuer_order: '0x00',
    delegate,
  })
  const clock = { now: () => new Date('2026-01-01T00:01:00Z') }
  app = await buildApp(testEnvironment(scratch, { index: ledger.index, clock }), [audit, trqp])
})

afterAll(async () => {
  await app?.close()
  await ledger?.close()
  await scratch?.close()
})

const post = (path: string, payload: object | string, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url: `/trqp/${path}`,
    payload,
    headers: { 'content-type': 'application/json', ...headers },
  })

const second = (block: number) => `2026-01-01T00:00:${String(block).padStart(2, '0')}Z`
const issue = { entity_id: university, authority_id: degrees, action: 'issue', resource: DEGREE }
const authorization = async (change: object = {}, block?: number) =>
  (await post('authorization', { ...issue, ...change, ...(block && { context: { time: second(block) } }) })).json()

describe('an authorization', () => {
  test('is answered in the form of the protocol, with what it rests on', async () => {
    expect(await authorization({}, 7)).toEqual({
      ...issue,
      authorized: true,
      time_requested: second(7),
      time_evaluated: '2026-01-01T00:01:00.000Z',
      message: expect.stringMatching(
        /^Authorized: did:svc:\w+ may issue this schema, for the registry lists it as issuer/,
      ),
      context: { time: second(7) },
      evidence: { reason: 'direct', since: '2026-01-01T00:00:03.000Z', block: 7, time: '2026-01-01T00:00:07.000Z' },
    })
    const now = await authorization({ context: { time: '' } })
    expect(now).toMatchObject({ authorized: true, evidence: { block: 12 } })
    expect(now).not.toHaveProperty('time_requested')
  })

  test('is the answer of REST at every block, for every action and entity', async () => {
    for (const [action, role] of [
      ['issue', 'issuer'],
      ['verify', 'verifier'],
    ])
      for (const entity_id of [ministry, board, university, delegate])
        for (const resource of [DEGREE, OPEN])
          for (const block of [1, 3, 7, 8, 11]) {
            const query = `did=${entity_id}&schema=${encodeURIComponent(resource)}&role=${role}&at=${second(block)}`
            const rest = (await app.inject({ url: `/trust-registries/${degrees}/authorization?${query}` })).json()
            const { authorized, message, evidence } = await authorization({ action, entity_id, resource }, block)
            expect({ authorized, explanation: message.replace(/^.*?: /, ''), ...evidence }, query).toEqual(rest)
          }
  })

  test('means the same authority by id, by any of its addresses and by the DID of its convener', async () => {
    for (const authority_id of [
      degrees,
      `${API}/trust-registries/${degrees}`,
      `${API}/trust-registries/${degrees}/public`,
      `${API}/ecosystems/${degrees}`,
      ministry,
    ])
      expect(await authorization({ authority_id }), authority_id).toMatchObject({ authority_id, authorized: true })
  })

  test.each(['#fragment', '?x=1', '/more', '/'])(
    'is of the whole text that names the authority, %s included',
    async (rest) => {
      const answer = await post('authorization', {
        ...issue,
        authority_id: `${API}/trust-registries/${degrees}${rest}`,
      })
      expect(answer.statusCode).toBe(404)
    },
  )

  test('of a convener with several registries needs the id of one', async () => {
    const ask = (context?: object) =>
      post('authorization', { ...issue, authority_id: board, ...(context && { context }) })
    expect((await ask()).statusCode).toBe(400)
    expect((await ask({ locator: boards })).json()).toMatchObject({
      authorized: false,
      evidence: { reason: 'unknown_schema' },
    })
    expect((await ask({ time: second(4) })).json()).toMatchObject({ evidence: { reason: 'unknown_schema' } })
    expect((await ask({ locator: degrees })).statusCode).toBe(404)
    expect((await post('authorization', { ...issue, context: { locator: boards } })).statusCode).toBe(404)
  })

  test('is false where the authority says nothing, and 404 for an unknown authority', async () => {
    const reason = async (change: object, block?: number) => (await authorization(change, block)).evidence.reason
    expect(await reason({ action: 'revoke' })).toBe('unknown_action')
    expect(await reason({ entity_id: 'https://example.org' })).toBe('unknown_entity')
    expect(await reason({ entity_id: 'did:web:example.org' })).toBe('not_listed')
    expect(await reason({ resource: 'country:state:driverlicense' })).toBe('unknown_schema')
    expect(await reason({}, 1)).toBe('unknown_registry')
    for (const authority_id of [
      id(99),
      'nobody',
      did(99),
      `${API}/trust-registries/${id(99)}`,
      'https://elsewhere.example/',
    ])
      expect((await post('authorization', { ...issue, authority_id })).statusCode, authority_id).toBe(404)
  })
})

describe('a recognition', () => {
  const ask = async (change: object, block = 7) => {
    const query = { entity_id: board, authority_id: degrees, action: 'recognize', resource: boards }
    const answer = (await post('recognition', { ...query, ...change, context: { time: second(block) } })).json()
    return answer.evidence ? [answer.recognized, answer.evidence.reason] : answer.status
  }

  test('holds while a registry lists the convener of another one and does not suspend it', async () => {
    expect(await ask({}, 5)).toEqual([false, 'not_listed'])
    expect(await ask({}, 6)).toEqual([true, 'direct'])
    expect(await ask({}, 11)).toEqual([false, 'suspended'])
    expect(await ask({ entity_id: boards, resource: `${API}/trust-registries/${boards}` })).toEqual([true, 'direct'])
    expect(await ask({ resource: board })).toEqual([true, 'direct'])
    expect(await ask({ action: 'issue', resource: DEGREE })).toEqual([true, 'direct'])
    expect(await ask({ action: 'verify', resource: DEGREE })).toEqual([false, 'not_listed'])
  })

  test('does not follow from an open schema, a delegation, a DID without a registry, or the authority itself', async () => {
    expect(await ask({ action: 'verify', resource: OPEN })).toEqual([false, 'not_listed'])
    expect(await ask({ entity_id: delegate, action: 'issue', resource: DEGREE })).toEqual([false, 'not_listed'])
    expect(await ask({ entity_id: university, resource: university })).toEqual([false, 'no_authority'])
    expect(await ask({ entity_id: ministry, resource: degrees })).toEqual([false, 'no_authority'])
    expect(await ask({ resource: alone })).toEqual([false, 'no_authority'])
    expect(await ask({ entity_id: boards, resource: diplomas }, 4)).toEqual([false, 'no_authority'])
    for (const entity_id of [board, boards, diplomas])
      for (const other of [
        { resource: board },
        { resource: boards },
        { resource: diplomas },
        { action: 'issue', resource: OPEN },
      ])
        expect(await ask({ entity_id, authority_id: boards, ...other }), entity_id).toEqual([false, 'no_authority'])
    expect(await ask({ entity_id: 'https://elsewhere.example/' })).toEqual([false, 'unknown_entity'])
    expect(await ask({ authority_id: 'nobody' })).toBe(404)
  })
})

describe('a question without an answer', () => {
  test('is a problem of RFC 9457, whichever part of the service refuses', async () => {
    const { context: _, ...rest } = { context: 1, ...issue }
    const bodies: [string, object | string, number][] = [
      ['no JSON', '{', 400],
      ['a list', [], 400],
      ['a member is missing', { ...rest, resource: undefined }, 400],
      ['an empty member', { ...issue, action: '' }, 400],
      ['1024 characters', { ...issue, resource: 'x'.repeat(1024) }, 200],
      ['1025 characters', { ...issue, resource: 'x'.repeat(1025) }, 400],
      ['no identifier', { ...issue, entity_id: 'a b' }, 400],
      ['a control character', { ...issue, entity_id: 'a\u0000b' }, 400],
      ['a name that is not encoded', { ...issue, authority_id: '東京' }, 400],
      ['half an escape', { ...issue, authority_id: 'a%2' }, 400],
      ['context is text', { ...issue, context: 'now' }, 400],
      ['a condition that is not known', { ...issue, context: { country: 'TR' } }, 400],
      ['a block is no time', { ...issue, context: { time: '7' } }, 400],
      ['a day is no instant', { ...issue, context: { time: '2026-01-01' } }, 400],
      ['no seconds', { ...issue, context: { time: '2026-01-01T00:00Z' } }, 400],
      ['an offset without a colon', { ...issue, context: { time: '2026-01-01T00:00:30+0000' } }, 400],
      ['a comma before the fraction', { ...issue, context: { time: '2026-01-01T00:00:30,5Z' } }, 400],
      ['small letters', { ...issue, context: { time: '2026-01-01t00:00:30.5z' } }, 200],
      ['before the first block', { ...issue, context: { time: '2025-12-31T23:59:59Z' } }, 400],
      ['a little ahead of this clock', { ...issue, context: { time: '2026-01-01T00:01:02Z' } }, 200],
      ['in the future', { ...issue, context: { time: '2026-01-01T00:01:02.001Z' } }, 400],
      ['nobody', { ...issue, authority_id: 'nobody' }, 404],
      ['too much', { ...issue, more: 'x'.repeat(20_000) }, 413],
    ]
    for (const [what, body, status] of bodies)
      for (const path of ['authorization', 'recognition']) {
        const { statusCode, headers, json } = await post(path, body)
        expect(statusCode, `${what}: ${path}`).toBe(status)
        if (status === 200) continue
        expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
        expect(json()).toMatchObject({
          type: 'about:blank',
          title: expect.any(String),
          status,
          detail: expect.any(String),
        })
      }
  })

  test('has the form of the protocol also where there is no question, or it is asked in another way', async () => {
    const problem = (status: number) => ({ type: 'about:blank', status, detail: expect.any(String) })
    for (const [method, url, type, status] of [
      ['GET', '/trqp/nothing', 'application/json', 404],
      ['POST', '/trqp/authorization/more', 'application/json', 404],
      ['GET', '/trqp/authorization', 'application/json', 405],
      ['DELETE', '/trqp/recognition', 'application/json', 405],
      ['POST', '/trqp/recognition', 'text/csv', 415],
    ] as const) {
      const answer = await app.inject({ method, url, headers: { 'content-type': type }, payload: '{}' })
      expect([url, answer.statusCode, answer.headers['content-type']]).toEqual([
        url,
        status,
        'application/problem+json; charset=utf-8',
      ])
      expect(answer.json()).toMatchObject(problem(status))
    }
  })

  test('names its request as the caller did, or as the log does', async () => {
    const named = async (sent?: string) =>
      (await post('authorization', { ...issue, action: '' }, sent === undefined ? {} : { 'x-request-id': sent }))
        .headers['x-request-id']
    expect(await named('q-1/2:3')).toBe('q-1/2:3')
    expect(await named('x'.repeat(128))).toBe('x'.repeat(128))
    for (const sent of [undefined, '', 'a b', 'x'.repeat(129)])
      expect(await named(sent)).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
  })

  test('is told in the words of the question', async () => {
    const detail = async (time: string) => (await post('authorization', { ...issue, context: { time } })).json().detail
    expect(await detail('2020-01-01T00:00:00Z')).toMatch(/^'context.time' is before the first block/)
    expect(await detail('2999-01-01T00:00:00Z')).toBe("'context.time' lies in the future")
  })

  test('is 406 in a signed form without the key of the signer', async () => {
    const { statusCode, json, headers } = await post('authorization', issue, { accept: 'application/jwt' })
    expect([statusCode, json().code, headers.vary]).toEqual([406, 'not_acceptable', 'Accept'])
  })

  test('is JSON where the caller accepts both forms, with Vary: Accept', async () => {
    for (const accept of ['application/jwt, application/json', 'application/json, application/jwt;q=0.1', '*/*']) {
      const { statusCode, json, headers } = await post('authorization', issue, { accept })
      expect([statusCode, json().authorized, headers.vary], accept).toEqual([200, true, 'Accept'])
    }
  })
})
