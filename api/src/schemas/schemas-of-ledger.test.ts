import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { indexedDatabase, MAX_LAG_MS, type TestIndex, testIndex } from '../ledger/testing/test-index.js'
import { type ScratchDatabase, type TestTeam, testEnvironment, testTeam } from '../platform/testing/scratch-database.js'
import { schemas } from './operations.js'
import { hashOf } from './schema.store.js'

/** Block n was made n seconds after the first one; the newest that is final is FINAL. */
const [FINAL, LAST] = [3, 5]
const REGISTRY = `0x${'03'.repeat(32)}`
const clock = { now: () => new Date('2026-01-01T00:00:06Z') }
const timeOf = (block: number) => `2026-01-01T00:00:0${block}.000Z`

let scratch: ScratchDatabase
let ledger: TestIndex
let app: FastifyInstance
let team: TestTeam
beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch, clock)
  await ledger.blocks(LAST)
  app = await buildApp(testEnvironment(scratch, { index: ledger.index, clock }), [schemas])
  team = await testTeam(scratch.db)
})
afterAll(async () => {
  await app.close()
  await ledger.close()
  await scratch.close()
})
beforeEach(() => ledger.finality({ height: FINAL, rule: 'grandpa' }))

const call = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
  app.inject({ method, url, headers: { 'svc-api-token': team.apiKey }, ...(payload && { payload }) })
const of = (id: string) => `/schemas/${encodeURIComponent(id)}`
const hosted = async (name: string): Promise<string> =>
  (await call('POST', '/schemas', { name, type: 'object', properties: { a: { type: 'string' } } })).json().data.id
const list = (schema_id: string, from_block: number, to_block: number | null = null) =>
  ledger.row('registry_schema', { registry_id: REGISTRY, schema_id, is_public: false, from_block, to_block })
const isStale = () => ledger.finality({ height: LAST + 1, rule: 'grandpa', behindMsAgo: MAX_LAG_MS + 1 })
const UNAVAILABLE = { status: 503, type: 'ledger_unavailable' }

describe('a schema that only the ledger knows', () => {
  const hash = (byte: string) => `0x${byte.repeat(32)}`

  test('is told of the present block, which the answer names', async () => {
    await list(hash('a1'), 2)
    const { headers, ...answer } = await call('GET', of(hash('a1')))
    expect(answer.json()).toMatchObject({ id: hash('a1'), schema: null, created: timeOf(2) })
    expect(headers).toMatchObject({
      'accredit-block': String(FINAL),
      'accredit-block-time': timeOf(FINAL),
      'accredit-final': 'true',
    })
  })

  test('is unknown until the block that lists it is final', async () => {
    await list(hash('a2'), FINAL + 1)
    const before = await call('GET', of(hash('a2')))
    expect([before.statusCode, before.headers['accredit-block']]).toEqual([404, String(FINAL)])
    await ledger.finality({ height: FINAL + 1, rule: 'grandpa' })
    expect((await call('GET', of(hash('a2')))).json()).toMatchObject({ created: timeOf(FINAL + 1) })
  })

  test('is not told, and none is unknown, where the index lags; those that are hosted here are', async () => {
    await list(hash('a3'), 2)
    const id = await hosted('Hosted')
    await isStale()
    for (const one of ['a3', 'a4']) expect((await call('GET', of(hash(one)))).json()).toMatchObject(UNAVAILABLE)
    const own = await call('GET', of(id))
    expect([own.statusCode, own.headers['accredit-block']]).toEqual([200, undefined])
  })
})

describe('a schema that an ecosystem uses', () => {
  const IN_USE = { status: 400, message: expect.stringContaining('used by an ecosystem') }

  test('is not deleted before the block in which it is removed there is final', async () => {
    const id = await hosted('Removed')
    await list(hashOf(id), 1, FINAL + 1)
    expect((await call('DELETE', of(id))).json()).toMatchObject(IN_USE)
    await ledger.finality({ height: FINAL + 1, rule: 'grandpa' })
    expect((await call('DELETE', of(id))).statusCode).toBe(200)
  })

  test('is not deleted where only a block that is not final lists it', async () => {
    const id = await hosted('Listed')
    await list(hashOf(id), FINAL + 1)
    expect((await call('DELETE', of(id))).json()).toMatchObject(IN_USE)
  })

  test('is not deleted where the index lags, which may not know of its use yet', async () => {
    const id = await hosted('Unsure')
    await isStale()
    expect((await call('DELETE', of(id))).json()).toMatchObject(UNAVAILABLE)
    await ledger.finality({ height: FINAL, rule: 'grandpa' })
    expect((await call('DELETE', of(id))).statusCode).toBe(200)
  })
})
