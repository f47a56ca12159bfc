import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Tx } from '../../platform/database/database.js'
import { Pipeline } from '../../platform/database/pipeline.js'
import { json } from '../../platform/database/tables.js'
import { createLog } from '../../platform/process/log.js'
import {
  outgoingEvents,
  type ScratchDatabase,
  serviceDatabase,
  type TestTeam,
  testContext,
  testTeam,
} from '../../platform/testing/scratch-database.js'
import { finalPoint } from '../read/blocks.js'
import type { IndexedEvent } from '../read/history/events-after.js'
import { followLedger } from './follower.js'
import type { FailedJob, FinishedJob, JobEffects } from './job-effects.js'
import { jobWatchOf } from './job-watch.js'
import { type JobPart, startJob } from './start-job.js'
import { startPendingJob } from './start-pending-job.js'
import { waitForJob } from './wait-for-job.js'

let scratch: ScratchDatabase
let team: TestTeam
let told: { finalized: FinishedJob[]; failed: FailedJob[]; events: IndexedEvent[]; deactivations: IndexedEvent[] }
let breaks: (subject: string | null) => boolean
const log = createLog('silent', 'test')

const jobEffects: JobEffects = {
  test: {
    async finalized(tx, jobs) {
      for (const job of jobs) if (breaks(job.subject)) await sql`select 1 / 0`.execute(tx)
      await markAll(tx, jobs)
      told.finalized.push(...jobs)
    },
    failed: async (_tx, jobs) => void told.failed.push(...jobs),
  },
}
const markAll = async (tx: Tx, jobs: readonly FinishedJob[]): Promise<void> => {
  for (const job of jobs) await tx.emit('test_done', { id: job.id }, job.team)
}
/** Statements. */
const EFFECTS_OF_A_JOB = 1

const ledgerEffects = [
  {
    events: ['TrustRegistry.IssuerSuspended'],
    async apply(tx: Tx, events: readonly IndexedEvent[]): Promise<void> {
      await tx.emit('test_told', { id: events.map(({ id }) => id).join() }, team.team)
      if (events.some(({ subject }) => breaks(subject))) await sql`select 1 / 0`.execute(tx)
      told.events.push(...events)
    },
  },
  {
    events: ['Did.Deactivated'],
    apply: async (_tx: Tx, events: readonly IndexedEvent[]) => void told.deactivations.push(...events),
  },
]

beforeAll(async () => {
  scratch = await serviceDatabase()
  const admin = new pg.Client({ connectionString: scratch.adminUrl })
  await admin.connect()
  await admin.query(`create schema ledger;
    create table ledger.block (id text, height int unique, hash text, time timestamptz, spec_version int);
    create table ledger.finality (id text, height int, hash text, settled_height int, settled_hash text);
    create table ledger.event (id text, block int, index int, time timestamptz, name text, actor text, subject text,
      trust_registry_id text, revocation_registry_id text, schema_id text, before jsonb, after jsonb, call_hash text,
      extrinsic_hash text);
    grant usage on schema ledger to accredit_test_system; grant all on all tables in schema ledger to accredit_test_system`)
  await admin.end()
})
afterAll(async () => {
  await jobWatchOf(testContext(scratch, team)).close()
  await scratch.close()
})
beforeEach(async () => {
  team = await testTeam(scratch.db)
  told = { finalized: [], failed: [], events: [], deactivations: [] }
  breaks = () => false
  await system(sql`truncate ledger.block, ledger.finality, ledger.event; `)
  await system(sql`delete from service.jobs`)
  await system(sql`delete from service.follower_cursor`)
})

const system = (statement: ReturnType<typeof sql>) => scratch.db.transaction('system', (tx) => statement.execute(tx))
const step = () => followLedger({ db: scratch.db, log, jobEffects, ledgerEffects })
const hash = (height: number) => `0x${String(height).padStart(64, '0')}`
const indexed = (height: number, blockHash = hash(height)) =>
  system(sql`insert into ledger.block values (${blockHash}, ${height}, ${blockHash}, now(), 1)`)
const final = async (height: number) => {
  await system(sql`delete from ledger.finality`)
  await system(sql`insert into ledger.finality select 'final', ${height}, ${hash(height)}, h, ${'0x'} || lpad(h::text, 64, '0')
    from (select max(height) as h from ledger.block where height <= ${height}) b`)
}
const part = (did: string): JobPart => ({ did, action: { kind: 'dispatch', did, keyId: 1, keyRef: 'ref', calls: [] } })

async function start(subject: string, parts = 1, by = team, answers: string[] = []): Promise<string> {
  const ctx = testContext(scratch, by)
  const job = await ctx.db.transaction(ctx.scope, (tx) =>
    startJob(tx, ctx, {
      kind: 'test',
      subject,
      parts: Array.from({ length: parts }, () => ({ ...part(`did:svc:${subject}`), answers })),
    }),
  )
  return job.id
}
const included = (action: string, height: number | undefined, error?: object) =>
  system(sql`update service.ledger_actions set state = 'included', block_height = ${height ?? null}, block_hash = ${height === undefined ? null : hash(height)},
    outcome = ${json({ ...(height !== undefined && { blockHeight: height, blockHash: hash(height) }), encodedTx: '0xaa', ...(error && { error }) })}::jsonb where id = ${action}`)
const stateOf = (id: string) =>
  scratch.db.read('system', (r) =>
    r.selectFrom('jobs').select(['status', 'result']).where('id', '=', id).executeTakeFirstOrThrow(),
  )

test('a job is finalized when its block is final and indexed, and not one moment earlier', async () => {
  const id = await start('a')
  await included(`${id}-0`, 5)
  await step()
  expect((await stateOf(id)).status).toBe('todo')
  await indexed(4)
  await indexed(5)
  await step()
  expect((await stateOf(id)).status).toBe('todo')
  await final(4)
  await step()
  expect((await stateOf(id)).status).toBe('todo')
  await final(5)
  await step()
  expect(await stateOf(id)).toEqual({
    status: 'finalized',
    result: { encodedTx: '0xaa', userData: 'a', result: { InBlock: hash(5) } },
  })
  expect(told.finalized).toMatchObject([{ id, team: team.team, block: { height: 5, time: expect.anything() } }])
})

test('a block of the same height with another hash does not count', async () => {
  const id = await start('a')
  await included(`${id}-0`, 5)
  await indexed(5, hash(99))
  await final(5)
  await step()
  expect((await stateOf(id)).status).toBe('todo')
})

test('final blocks that are not indexed yet do not count', async () => {
  const id = await start('a')
  await included(`${id}-0`, 5)
  await indexed(4)
  await final(9)
  await step()
  expect((await stateOf(id)).status).toBe('todo')
})

test('a refused action ends its job with the error of the pallet and its documentation', async () => {
  const [inBlock, without] = [await start('a'), await start('b')]
  await included(`${inBlock}-0`, 3, { pallet: 'Did', name: 'Deactivated', docs: 'The DID is deactivated.' })
  await included(`${without}-0`, undefined, { pallet: 'Signer', name: 'CallNotAllowed', docs: 'Not allowed.' })
  await step()
  expect((await stateOf(without)).result).toEqual({ type: 'CallNotAllowed', message: 'Not allowed.' })
  expect((await stateOf(inBlock)).status).toBe('todo')
  await indexed(3)
  await final(3)
  await step()
  expect(await stateOf(inBlock)).toEqual({
    status: 'error',
    result: { type: 'Deactivated', message: 'The DID is deactivated.' },
  })
  expect(told.failed.map((job) => job.error.type)).toEqual(['CallNotAllowed', 'Deactivated'])
})

test('a job of many parts is final when all are, and shows its progress before', async () => {
  const id = await start('a', 3)
  await indexed(1)
  await indexed(2)
  await final(2)
  await included(`${id}-0`, 1)
  await included(`${id}-1`, 1)
  await step()
  expect(await stateOf(id)).toMatchObject({ result: { done: 2, total: 3 } })
  expect(told.finalized).toEqual([])
  await included(`${id}-2`, 2)
  await step()
  expect(await stateOf(id)).toMatchObject({
    status: 'finalized',
    result: { done: 3, total: 3, refused: [], result: { InBlock: hash(2) } },
  })
  expect(told.finalized).toHaveLength(1)
})

test('a pending action ends with any signature over its calls, and stays pending where the ledger refused that', async () => {
  const ctx = testContext(scratch, await testTeam(scratch.db))
  const pending = await ctx.db.transaction('system', (tx) =>
    startPendingJob(tx, ctx, {
      kind: 'test',
      subject: 'asked',
      did: 'did:svc:a',
      dispatches: [{ calls: [], expected: [] }],
      result: { waitingFor: 'convener' },
      expires: new Date(Date.now() + 60_000),
    }),
  )
  const signed = () => start('a', 1, team, [`${pending.id}-0`])
  const [refused, done] = [await signed(), await signed()]
  await indexed(1)
  await final(1)
  await included(`${refused}-0`, 1, { pallet: 'TrustRegistry', name: 'VersionMismatch', docs: '' })
  await step()
  expect(await stateOf(pending.id)).toEqual({ status: 'in_progress', result: { waitingFor: 'convener' } })
  await included(`${done}-0`, 1)
  await step()
  expect(await stateOf(pending.id)).toMatchObject({
    status: 'finalized',
    result: { encodedTx: '0xaa', userData: 'asked', result: { InBlock: hash(1) } },
  })
})

test('an effect that breaks holds up nobody else, leaves nothing behind, and is tried again after a while', async () => {
  const ids = [await start('good'), await start('bad'), await start('fine')]
  await indexed(1)
  await final(1)
  for (const id of ids) await included(`${id}-0`, 1)
  breaks = (subject) => subject === 'bad'
  await step()
  expect((await Promise.all(ids.map(stateOf))).map((job) => job.status)).toEqual(['finalized', 'todo', 'finalized'])
  breaks = () => false
  await step()
  expect((await stateOf(ids[1] ?? '')).status).toBe('todo')
  await system(sql`update service.ledger_actions set retry_at = now() where job_id = ${ids[1]}`)
  await step()
  expect((await stateOf(ids[1] ?? '')).status).toBe('finalized')
  const events = await outgoingEvents(scratch, team.team)
  expect(events.map(({ data }) => data.id).sort()).toEqual([...ids].sort())
})

const event = (block: number, index: number, name = 'TrustRegistry.IssuerSuspended', subject = '-') =>
  system(
    sql`insert into ledger.event values
      (${`${block}-${index}`}, ${block}, ${index}, now(), ${name}, 'did:svc:elsewhere', ${subject})`,
  )

test('each effect is told of its own events, and of none when there are none', async () => {
  await indexed(0)
  await event(0, 0)
  await event(0, 1, 'Did.Deactivated')
  await final(0)
  expect((await step()).hasMore).toBe(false)
  expect([told.events, told.deactivations].map((events) => events.map(({ id }) => id))).toEqual([['0-0'], ['0-1']])
  await indexed(1)
  await final(1)
  await step()
  expect((await outgoingEvents(scratch, team.team)).filter((one) => one.event === 'test_told')).toHaveLength(1)
})

test('no event is told twice where the index comes back from an older copy', async () => {
  for (const height of [0, 1, 2]) await indexed(height)
  await event(2, 0)
  for (const height of [2, 1, 2]) {
    await final(height)
    expect((await step()).hasMore).toBe(false)
    expect((await step()).hasMore).toBe(false)
  }
  expect(told.events.map(({ id }) => id)).toEqual(['2-0'])
})

test('there is no final point before the index has a block that is final', async () => {
  const point = () => scratch.db.read('system', finalPoint)
  expect(await point()).toBeUndefined()
  await indexed(3)
  expect(await point()).toBeUndefined()
  await final(4)
  expect(await point()).toEqual({ height: 3 })
  const without = await serviceDatabase()
  expect(await without.db.read('system', finalPoint)).toBeUndefined()
  await without.close()
})

test('an indexed block of another fork, at the height of the final one, is not final', async () => {
  await indexed(2, hash(22))
  await event(2, 0)
  await final(2)
  expect(await scratch.db.read('system', finalPoint)).toBeUndefined()
  await step()
  expect(told.events).toEqual([])
})

test('a step in which nothing breaks sets no savepoint', async () => {
  await indexed(1)
  await final(1)
  await event(1, 0)
  const id = await start('a')
  await included(`${id}-0`, 1)
  // The real pool runs; the test only listens to it.
  const sent = vi.spyOn(pg.Client.prototype, 'query')
  await step()
  const calls: unknown[][] = sent.mock.calls
  const texts = calls.map(([asked]) => JSON.stringify(asked instanceof Pipeline ? asked.statements : asked))
  sent.mockRestore()
  expect(texts.filter((text) => /savepoint/i.test(text))).toEqual([])
  expect(told.events.map(({ id }) => id)).toEqual(['1-0'])
  expect(await stateOf(id)).toMatchObject({ status: 'finalized' })
})

test('an effect of ledger events that breaks leaves nothing behind, stops no job, and is tried again', async () => {
  await indexed(1)
  await final(1)
  await event(1, 0, undefined, 'broken')
  const job = await start('a')
  await included(`${job}-0`, 1)
  breaks = (subject) => subject === 'broken'
  expect((await step()).hasMore).toBe(false)
  expect(told.events).toEqual([])
  expect((await outgoingEvents(scratch, team.team)).filter((one) => one.event === 'test_told')).toEqual([])
  expect(await stateOf(job)).toMatchObject({ status: 'finalized' })
  breaks = () => false
  await step()
  expect(told.events.map(({ id }) => id)).toEqual(['1-0'])
})

test('work in a savepoint that throws takes nothing else with it, also where a statement that it deferred fails', async () => {
  await scratch.db.transaction('system', async (tx) => {
    await tx.emit('test_kept', {}, team.team)
    const thrown = tx.inSavepoint(async () => {
      tx.defer({ compile: () => sql`select 1 / 0`.compile(tx) })
      throw new Error('no')
    })
    await expect(thrown).rejects.toThrow('no')
  })
  expect(await outgoingEvents(scratch, team.team)).toMatchObject([{ event: 'test_kept' }])
})

test('ledger events are told once, in order, up to final, whoever caused them', async () => {
  for (const height of [1, 2, 3]) await indexed(height)
  await event(2, 1)
  await event(1, 7)
  await event(2, 0)
  await event(2, 2, 'Did.KeyAdded')
  await event(3, 0)
  await final(2)
  await step()
  await step()
  expect(told.events.map(({ id }) => id)).toEqual(['1-7', '2-0', '2-1'])
  await final(3)
  await step()
  expect(told.events.map(({ id }) => id)).toEqual(['1-7', '2-0', '2-1', '3-0'])
})

test('events are delivered once even if the final block moves back, and idle rounds write nothing', async () => {
  for (const height of [1, 2, 3]) await indexed(height)
  for (const block of [1, 2, 3]) await event(block, 0)
  const written = async () =>
    (await system(sql<{ version: string }>`select xmin::text as version from service.follower_cursor`)).rows
  for (const height of [3, 2, 1, 3]) {
    await final(height)
    await step()
  }
  expect(told.events.map(({ id }) => id)).toEqual(['1-0', '2-0', '3-0'])
  const before = await written()
  await step()
  expect(await written()).toEqual(before)
})

test('nothing is final without an index, and nothing fails', async () => {
  const bare = await serviceDatabase()
  try {
    expect(await bare.db.read('system', finalPoint)).toBeUndefined()
  } finally {
    await bare.close()
  }
  expect(await scratch.db.read('system', finalPoint)).toBeUndefined()
  for (const height of [3, 4]) await indexed(height)
  expect(await scratch.db.read('system', finalPoint)).toBeUndefined()
  await final(3)
  expect(await scratch.db.read('system', finalPoint)).toEqual({ height: 3 })
})

test('events of the last final block beyond a page are told before the next block is final', async () => {
  await indexed(1)
  await indexed(2)
  await final(2)
  await system(sql`insert into ledger.event (id, block, index, time, name, actor)
    select '2-' || n, 2, n, now(), 'TrustRegistry.IssuerSuspended', 'did:svc:elsewhere' from generate_series(0, 4499) n`)
  const steps: boolean[] = []
  for (let more = true; more; ) {
    more = (await step()).hasMore
    steps.push(more)
  }
  expect(steps).toEqual([true, true, false])
  expect(told.events.map(({ index }) => index)).toEqual(Array.from({ length: 4500 }, (_, index) => index))
  await step()
  expect(told.events).toHaveLength(4500)
})

test('200 jobs end in one step, by as many statements as one', async () => {
  await indexed(1)
  await final(1)
  await step()
  const statementsFor = async (count: number) => {
    const ids = await Promise.all(Array.from({ length: count }, (_, i) => start(`n${i}`)))
    await system(
      sql`update service.ledger_actions set state = 'included', block_height = 1, block_hash = ${hash(1)}, outcome = '{"blockHeight":1}'
        where job_id = any(${ids})`,
    )
    // The real pool runs; the test only listens to it.
    const sent = vi.spyOn(pg.Client.prototype, 'query')
    await step()
    const calls: unknown[][] = sent.mock.calls
    const statements = calls.reduce(
      (sum, [asked]) => sum + (asked instanceof Pipeline ? asked.statements.length : 1),
      0,
    )
    sent.mockRestore()
    const done = await scratch.db.read('system', (r) =>
      r.selectFrom('jobs').select('id').where('status', '=', 'finalized').where('id', 'in', ids).execute(),
    )
    expect(done).toHaveLength(count)
    return statements
  }
  const own = (await statementsFor(1)) - EFFECTS_OF_A_JOB
  expect(await statementsFor(200)).toBe(own + EFFECTS_OF_A_JOB)
})

test('the job of a team ends in the next step, whatever of another team came to its end before', async () => {
  await indexed(1)
  await final(1)
  await start('many', 1100)
  const one = await start('one', 1, await testTeam(scratch.db))
  await system(sql`update service.ledger_actions
    set state = 'included', block_height = 1, block_hash = ${hash(1)}, outcome = '{"blockHeight":1}'`)
  expect(await step()).toMatchObject({ hasMore: true })
  expect((await stateOf(one)).status).toBe('finalized')
})

test('a request that waits for a job is answered at its end, and told when the job is late', async () => {
  const ctx = testContext(scratch, team)
  const id = await start('a')
  await indexed(1)
  await final(1)
  const waiting = waitForJob(ctx, id)
  await included(`${id}-0`, 1)
  await step()
  expect(await waiting).toMatchObject({ status: 'finalized', done: true })
  expect(ctx.headers.get('accredit-pending')).toBeUndefined()
  const slow = testContext(scratch, team, { config: { ...ctx.config, ledger: { ...ctx.config.ledger, waitMs: 30 } } })
  expect(await waitForJob(slow, await start('b'))).toMatchObject({ done: false })
  expect([slow.headers.get('accredit-pending'), slow.headers.has('accredit-job')]).toEqual(['true', true])
})

test('requests that wait are woken by the end of their jobs', async () => {
  await indexed(1)
  await final(1)
  let waitedMs = 0
  const jobs = [1, 2, 3, 4, 5]
  for (const _ of jobs) {
    const ctx = testContext(scratch, team)
    const id = await start('a')
    const waiting = waitForJob(ctx, id)
    await included(`${id}-0`, 1)
    await step()
    const ended = performance.now()
    expect(await waiting).toMatchObject({ done: true })
    waitedMs += performance.now() - ended
  }
  // Without notices each would be looked up two seconds after its first look.
  expect(waitedMs).toBeLessThan(jobs.length * 1000)
})

test('a request whose block is indexed, and not final on its network yet, is told that its change is pending', async () => {
  const ctx = testContext(scratch, team)
  const slow = testContext(scratch, team, { config: { ...ctx.config, ledger: { ...ctx.config.ledger, waitMs: 30 } } })
  const id = await start('a')
  await included(`${id}-0`, 2)
  await indexed(1)
  await indexed(2)
  await final(1)
  await step()
  expect(await waitForJob(slow, id)).toMatchObject({ status: 'in_progress', done: false })
  expect(slow.headers.get('accredit-pending')).toBe('true')
  await final(2)
  await step()
  expect(await waitForJob(ctx, id)).toMatchObject({ status: 'finalized', done: true })
})
