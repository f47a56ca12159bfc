import { sql } from 'kysely'
import { beforeEach, expect, test, vi } from 'vitest'
import { buildApp } from '../app.js'
import type { Rerun } from '../capability.js'
import { readConfig } from '../config.js'
import { indexedDatabase } from '../ledger/testing/test-index.js'
import { followLedger } from '../ledger/write/follower.js'
import { resendRefused } from '../ledger/write/resend-refused.js'
import { startJob } from '../ledger/write/start-job.js'
import { json } from '../platform/database/tables.js'
import { createLog } from '../platform/process/log.js'
import { answerOf } from '../platform/testing/answered.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { requestAs } from '../platform/testing/request-as.js'
import { PATIENT, type TestTeam, testContext, testEnvironment, testTeam } from '../platform/testing/scratch-database.js'
import { jobsWith } from './operations.js'

const key = { keyId: 2, keyRef: 'newer' }
const reruns: Record<string, Rerun> = {
  'test.again': (tx, _ctx, job) => resendRefused(tx, job, async () => key),
  'test.lost': (tx, _ctx, job) => resendRefused(tx, job, async () => undefined),
}

/** Two replicas over one database; the first one answers injected requests, both listen. */
const world = forAllTests(async () => {
  const scratch = await indexedDatabase()
  const open = async () => {
    const config = readConfig({ DATABASE_URL: scratch.tenantUrl, SYSTEM_DATABASE_URL: scratch.systemUrl, ...PATIENT })
    const app = await buildApp(testEnvironment(scratch, { config }), [jobsWith(() => reruns)])
    return { app, url: await app.listen({ host: '127.0.0.1', port: 0 }) }
  }
  const replicas = [await open(), await open()] as const
  return {
    scratch,
    replicas,
    app: replicas[0].app,
    async close() {
      for (const { app } of replicas) await app.close()
      await scratch.close()
    },
  }
})

let team: TestTeam
beforeEach(async () => {
  team = await testTeam(world().scratch.db)
})

const system = (statement: ReturnType<typeof sql>) =>
  world().scratch.db.transaction('system', (tx) => statement.execute(tx))
const call = async (method: string, url: string, by = team) => answerOf(await requestAs(world().app, by, method, url))

async function job(kind: string, subject: string | undefined, parts = 1): Promise<string> {
  const ctx = testContext(world().scratch, team)
  const did = `did:svc:${kind}`
  const action = { kind: 'dispatch' as const, did, keyId: 1, keyRef: 'old', calls: [new Uint8Array([1])] }
  const { id } = await ctx.db.transaction(ctx.scope, (tx) =>
    startJob(tx, ctx, {
      kind,
      ...(subject !== undefined && { subject }),
      parts: Array.from({ length: parts }, () => ({ did, action })),
    }),
  )
  return id
}
const set = (id: string, status: string, result: object) =>
  system(
    sql`update service.jobs set status = ${status}, result = ${json(result)}, updated = clock_timestamp() where id = ${id}`,
  )

/** Ends the actions of a job by the signer's refusal, as the follower does. */
async function refuse(id: string): Promise<void> {
  const outcome = json({ error: { pallet: 'Signer', name: 'NotNow', docs: 'Not now.' } })
  await system(sql`update service.ledger_actions set state = 'refused', outcome = ${outcome} where job_id = ${id}`)
  await set(id, 'error', { type: 'NotNow', message: 'Not now.' })
}
const actionsOf = (id: string) =>
  world().scratch.db.read('system', (reader) =>
    reader.selectFrom('ledger_actions').selectAll().where('job_id', '=', id).orderBy('part').execute(),
  )

test('the list has the jobs of a team, newest first, with their progress and errors, and filters', async () => {
  const [first, many, failed] = [
    await job('a.b', 'did:svc:x'),
    await job('c.d', undefined, 3),
    await job('a.b', 'did:svc:y'),
  ]
  await set(many, 'in_progress', { done: 1, total: 3 })
  await set(failed, 'error', { type: 'NotNow', message: 'Not now.', done: 0, total: 1, refused: [{ did: 'secret' }] })
  const { body } = await call('GET', '/jobs')
  const common = { isStuck: false, created: expect.stringMatching(/Z$/), updated: expect.stringMatching(/Z$/) }
  expect(body).toEqual([
    {
      id: failed,
      kind: 'a.b',
      subject: 'did:svc:y',
      status: 'error',
      progress: { done: 0, total: 1 },
      error: { type: 'NotNow', message: 'Not now.' },
      ...common,
    },
    {
      id: many,
      kind: 'c.d',
      subject: null,
      status: 'in_progress',
      progress: { done: 1, total: 3 },
      error: null,
      ...common,
    },
    { id: first, kind: 'a.b', subject: 'did:svc:x', status: 'todo', progress: null, error: null, ...common },
  ])
  const ids = async (query: string) => (await call('GET', `/jobs?${query}`)).body.map(({ id }: { id: string }) => id)
  expect(await ids('kind=a.b')).toEqual([failed, first])
  expect(await ids('status=in_progress')).toEqual([many])
  expect(await ids('subject=did:svc:x')).toEqual([first])
  expect(await ids('stuck=true')).toEqual([])
  expect(await ids('stuck=false&limit=1&offset=1')).toEqual([many])
  expect((await call('GET', '/jobs', await testTeam(world().scratch.db))).body).toEqual([])
  for (const wrong of ['status=done', 'limit=65', 'kind=', 'state=todo'])
    expect((await call('GET', `/jobs?${wrong}`)).status).toBe(400)
})

test('a job that failed is sent again in place of its refused parts, by the key that is there now', async () => {
  const id = await job('test.again', undefined, 2)
  await refuse(id)
  expect(await call('POST', `/jobs/${id}/retry`)).toMatchObject({
    status: 200,
    body: { id, status: 'in_progress', result: {} },
  })
  const actions = await actionsOf(id)
  expect(actions.map(({ state, sequence, action }) => [state, sequence, action.keyRef])).toEqual([
    ['done', 0, 'old'],
    ['done', 1, 'old'],
    ['pending', 2, 'newer'],
    ['pending', 3, 'newer'],
  ])
  expect(actions[2]?.action).toMatchObject({ kind: 'dispatch', calls: ['0x01'], keyId: 2 })
  expect((await call('POST', `/jobs/${id}/retry`)).status).toBe(409)
})

test.each([
  ['whose DID can act no more', 'test.lost', 'error', /gone/],
  ['of a kind that undoes all', 'did.create', 'error', /repeat the operation/],
  ['that is under way', 'test.again', 'in_progress', /under way/],
  ['that is done', 'test.again', 'finalized', /finalized/],
])('a job %s is not begun anew, and nothing changes', async (_name, kind, status, reason) => {
  const id = await job(kind, undefined)
  await refuse(id)
  await set(id, status, {})
  const { status: answered, body } = await call('POST', `/jobs/${id}/retry`)
  expect([answered, body.message]).toEqual([409, expect.stringMatching(reason)])
  expect((await actionsOf(id)).map(({ state }) => state)).toEqual(['refused'])
})

test('another team finds no job to retry, and none to follow', async () => {
  const id = await job('test.again', undefined)
  await refuse(id)
  const other = await testTeam(world().scratch.db)
  const missing = (await call('POST', '/jobs/1/retry', other)).body
  expect(await call('POST', `/jobs/${id}/retry`, other)).toMatchObject({ status: 404, body: missing })
  expect(await call('GET', `/jobs/${id}/events`, other)).toMatchObject({ status: 404, body: missing })
})

test('a job whose end cannot be stored is tried less and less often, is stuck in the end, and goes on by request', async () => {
  const { scratch } = world()
  let isBroken = true
  let tries = 0
  const effect = {
    finalized: async () => {
      tries++
      if (isBroken) throw new Error('broken')
    },
    failed: async () => undefined,
  }
  const step = () =>
    followLedger({
      db: scratch.db,
      log: createLog('silent', 'test'),
      jobEffects: { 'test.end': effect },
      ledgerEffects: [],
    })
  const id = await job('test.end', undefined)
  await system(sql`update service.ledger_actions set state = 'included', outcome = '{}' where job_id = ${id}`)
  await step()
  const afterFirst = tries
  expect(afterFirst).toBeGreaterThan(0)
  await step()
  expect(tries).toBe(afterFirst)
  const waits: number[] = []
  for (let retry = 1; retry <= 24; retry++) {
    const [action] = await actionsOf(id)
    const due = action?.retry_at
    waits.push(due instanceof Date ? Math.round((due.getTime() - Date.now()) / 1000) : Number.POSITIVE_INFINITY)
    if (retry < 24) await system(sql`update service.ledger_actions set retry_at = now() where job_id = ${id}`)
    await step()
  }
  expect(waits.slice(0, 4).map((seconds) => Math.round(seconds / 5))).toEqual([1, 2, 4, 8])
  expect(Math.max(...waits.slice(0, 23))).toBeLessThanOrEqual(3600)
  expect(waits[23]).toBe(Number.POSITIVE_INFINITY)
  expect((await call('GET', '/jobs?stuck=true')).body).toMatchObject([{ id, isStuck: true, status: 'todo' }])
  expect((await call('GET', `/jobs/${id}`)).body.result).toMatchObject({ waitingFor: 'retry', isStuck: true })
  isBroken = false
  expect((await call('POST', `/jobs/${id}/retry`)).status).toBe(200)
  await step()
  expect((await call('GET', `/jobs/${id}`)).body.status).toBe('finalized')
  expect((await call('GET', '/jobs?stuck=true')).body).toEqual([])
})

/** Reads server-sent events until the stream ends. */
async function follow(url: string, headers: Record<string, string> = {}) {
  const ending = new AbortController()
  const response = await fetch(url, { headers: { 'svc-api-token': team.apiKey, ...headers }, signal: ending.signal })
  const seen: { id: string; status: string; result: unknown }[] = []
  let isOver = false
  const reading = (async () => {
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const fields = new Map(
          block.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
        )
        if (fields.get('event') === 'job')
          seen.push({ ...JSON.parse(fields.get('data') ?? ''), id: fields.get('id') ?? '' })
      }
    }
    isOver = true
  })().catch(() => undefined)
  return { response, seen, reading, isOver: () => isOver, leave: () => ending.abort() }
}
const becomes = (reader: Awaited<ReturnType<typeof follow>>, states: string[]) =>
  vi.waitFor(() => expect(reader.seen.map(({ status }) => status)).toEqual(states), 20_000)

test('events of a job reach readers at both replicas at each change, and end with its final state', async () => {
  const id = await job('a.b', undefined)
  const readers = await Promise.all(world().replicas.map(({ url }) => follow(`${url}/jobs/${id}/events`)))
  for (const reader of readers) {
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    await becomes(reader, ['todo'])
  }
  await set(id, 'in_progress', { done: 1, total: 2 })
  for (const reader of readers) await becomes(reader, ['todo', 'in_progress'])
  await set(id, 'finalized', { done: 2, total: 2 })
  for (const reader of readers) {
    await reader.reading
    expect([reader.isOver(), reader.seen.at(-1)]).toMatchObject([true, { status: 'finalized', result: { done: 2 } }])
  }
})

test('a reader that comes again is not told the state that it had, and is told the next one', async () => {
  const id = await job('a.b', undefined)
  const url = `${world().replicas[0].url}/jobs/${id}/events`
  const first = await follow(url)
  await becomes(first, ['todo'])
  first.leave()
  const again = await follow(url, { 'last-event-id': first.seen[0]?.id ?? '' })
  await set(id, 'error', { type: 'a', message: 'b' })
  await again.reading
  expect(again.seen.map(({ status }) => status)).toEqual(['error'])
  const late = await follow(url, { 'last-event-id': again.seen[0]?.id ?? '' })
  await late.reading
  expect(late.seen.map(({ status }) => status)).toEqual(['error'])
})

test('job 0 is told as finalized, and ends', async () => {
  const reader = await follow(`${world().replicas[0].url}/jobs/0/events`)
  await reader.reading
  expect(reader.seen).toMatchObject([{ status: 'finalized' }])
})

test('a team follows 32 jobs at once, and has room again when a reader leaves', async () => {
  const id = await job('a.b', undefined)
  const url = `${world().replicas[0].url}/jobs/${id}/events`
  const readers = await Promise.all(Array.from({ length: 32 }, () => follow(url)))
  expect(readers.map(({ response }) => response.status)).toEqual(Array.from({ length: 32 }, () => 200))
  const refused = await follow(url)
  expect([refused.response.status, refused.response.headers.get('retry-after')]).toEqual([429, '5'])
  readers[0]?.leave()
  await vi.waitFor(async () => {
    const next = await follow(url)
    readers.push(next)
    expect(next.response.status).toBe(200)
  }, 20_000)
  for (const reader of readers) reader.leave()
})

test('a replica that ends lets its readers go at once', async () => {
  const { scratch } = world()
  const config = readConfig({ DATABASE_URL: scratch.tenantUrl, SYSTEM_DATABASE_URL: scratch.systemUrl, ...PATIENT })
  const db = scratch.db
  const app = await buildApp(testEnvironment({ ...scratch, db: { ...db } }, { config }), [jobsWith(() => reruns)])
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const id = await job('a.b', undefined)
  const reader = await follow(`${url}/jobs/${id}/events`)
  await becomes(reader, ['todo'])
  const begun = performance.now()
  await app.close()
  await reader.reading
  expect(performance.now() - begun).toBeLessThan(4000)
})
