import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { PassThrough } from 'node:stream'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { withSession } from '../accounts/people.testing.js'
import type { Database } from '../platform/database/database.js'
import { appendToJournal } from '../platform/process/erasure-journal.js'
import { createLog } from '../platform/process/log.js'
import { journalStands } from '../platform/process/work-metrics.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { testEnvironment } from '../platform/testing/scratch-database.js'
import { journalWorld, namedInJournal, whileJournalIsInUse } from './journal.testing.js'
import { startForgetting } from './start-forgetting.js'

const DAYS = 100
const MINUTE_MS = 60_000

const world = forAllTests(() => journalWorld({ ERASURE_JOURNAL_DAYS: String(DAYS) }))
const journal = () => world().journal
beforeEach(() => rm(journal(), { force: true }))

const signer = { destroyKeys: async () => undefined } as never

/** Starts what the worker runs. `said` returns what it logged so far. */
function start(wrap: (db: Database) => Database = (db) => db) {
  const stream = new PassThrough()
  let said = ''
  stream.on('data', (part) => {
    said += part
  })
  const { config, clock } = world().environment
  const log = createLog('info', 'test', stream)
  const services = { config, clock, log, signer, db: wrap(world().scratch.db) }
  const { loop, ready } = startForgetting(testEnvironment(world().scratch, services))
  let isReady = false
  void ready.then(() => {
    isReady = true
  })
  return { loop, said: () => said, isReady: () => isReady }
}

async function askDeletion(): Promise<string> {
  const { session, email } = await world().signInAnyone()
  const answer = await withSession(world().app, session, 'POST', '/data/delete', { validation: email })
  return answer.json().deletions[0]
}

const isEnded = async (id: string) =>
  (await world().rows('select from service.deletions where id = $1 and ended is not null', id)).length > 0
const ended = (id: string) => expect.poll(() => isEnded(id), { timeout: 30_000 }).toBe(true)

/** Keys whose ends are told. */
const [OLD, KEPT] = ['svc_test_01d0', 'svc_test_0e90']
const lineOf = (id: string, daysAgo: number) => {
  const at = new Date(world().clock.now().getTime() - daysAgo * 1440 * MINUTE_MS).toISOString()
  return `${JSON.stringify({ id, at, key: { ends: null } })}\n`
}

test('a worker that starts makes the journal where there is none, and says so', async () => {
  const { loop, said } = start()
  await expect.poll(() => readFile(journal(), 'utf8').catch(() => undefined)).toBe('')
  await loop.stop()
  expect(said()).toContain('there is no erasure journal: one is begun')
  expect(said()).not.toContain('knows all')
})

test('a worker that starts says that it has looked at the journal, also where nothing was to be done', async () => {
  await writeFile(journal(), '')
  const { loop, said } = start()
  await expect.poll(said).toContain('the database knows all that its erasure journal tells')
  await loop.stop()
})

test('a worker that starts takes out lines that are older than ERASURE_JOURNAL_DAYS', async () => {
  const kept = lineOf(KEPT, DAYS - 1)
  await writeFile(journal(), lineOf(OLD, DAYS + 1) + kept)
  const { loop } = start()
  await expect.poll(() => readFile(journal(), 'utf8')).toBe(kept)
  await loop.stop()
})

test('a damaged journal holds up no deletion, is told of by its line, and is applied a minute after it was mended', async () => {
  const id = await askDeletion()
  const whole = await readFile(journal(), 'utf8')
  await writeFile(journal(), `${lineOf(OLD, DAYS + 1)}no line\n${whole}`)
  const { loop, said, isReady } = start()
  await ended(id)
  expect(isReady()).toBe(true)
  expect(said()).toMatch(/Line 2 of .* is no line of a journal of erasures/)
  expect(said()).toContain('the erasure journal could not be applied')
  expect(said()).not.toContain('deletions could not be carried out')
  expect(await journalStands.get()).toMatchObject({ values: [{ value: 1 }] })

  await writeFile(journal(), `${lineOf(OLD, DAYS + 1)}${whole}`)
  world().clock.offset += MINUTE_MS
  loop.wake()
  await expect.poll(() => readFile(journal(), 'utf8')).toBe(whole)
  await expect.poll(() => journalStands.get()).toMatchObject({ values: [{ value: 0 }] })
  await loop.stop()
})

test('a worker that finds the journal in use is not ready, and looks again after five seconds', async () => {
  const { loop, said, isReady } = await whileJournalIsInUse(world().writer, async () => {
    const started = start()
    onTestFinished(() => started.loop.stop())
    await expect.poll(started.said).toContain('it is tried again in 5 seconds')
    return started
  })
  expect(isReady()).toBe(false)
  world().clock.offset += 5000
  loop.wake()
  await expect.poll(isReady).toBe(true)
  expect(said()).toContain('there is no erasure journal: one is begun')
})

test('a worker whose database refuses a part is not ready for two minutes, and goes on asking', async () => {
  const { rows, clock } = world()
  const { teamId } = await world().signInAnyone()
  const id = randomUUID()
  const erasure = { ...(await namedInJournal(world().writer, teamId)), marks: ['00'] }
  await appendToJournal(journal(), [{ id, at: clock.now().toISOString(), erasure }])
  const refuse = `begin raise exception 'refused' using errcode = '57014'; end`
  await rows(`create function service.refuse() returns trigger language plpgsql as $$ ${refuse} $$`)
  await rows('create trigger refuse before insert on service.erasures for each row execute function service.refuse()')
  const { loop, said, isReady } = start()
  onTestFinished(() => loop.stop())
  try {
    for (let look = 1; look <= 2; look++) {
      await expect.poll(() => said().split('it is tried again in 5 seconds').length - 1).toBe(look)
      expect(isReady()).toBe(false)
      clock.offset += look === 1 ? MINUTE_MS : MINUTE_MS + 1
      loop.wake()
    }
    await expect.poll(said).toContain('it is tried again in 60 seconds')
    await expect.poll(isReady).toBe(true)
  } finally {
    await rows('drop function service.refuse cascade')
  }
  clock.offset += MINUTE_MS
  loop.wake()
  await expect.poll(() => rows('select id from service.erasures where ended is not null')).toContainEqual({ id })
})

test('an erasure of a team waits for none but the first of a team with many', async () => {
  const { rows } = world()
  const [many, one] = [await world().signInAnyone(), await world().signInAnyone()]
  await rows(
    `insert into service.erasures (id, team_id, started, marks)
      select gen_random_uuid(), $1, now() - n * interval '1 second', '{}' from generate_series(1, 40) n`,
    many.teamId,
  )
  await rows(
    `insert into service.erasures (id, team_id, started, marks) values (gen_random_uuid(), $1, now(), '{}')`,
    one.teamId,
  )
  const { loop } = start()
  onTestFinished(() => loop.stop())
  const open = () => rows('select from service.erasures where ended is null')
  await expect.poll(open).toEqual([])
  const before = await rows(
    `select from service.erasures where team_id = $1
      and ended < (select ended from service.erasures where team_id = $2)`,
    many.teamId,
    one.teamId,
  )
  expect(before.length).toBeLessThanOrEqual(1)
})

test('a worker whose database is gone is not ready, however long that lasts', async () => {
  let isGone = true
  const gone = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const { loop, said, isReady } = start((db) => ({
    ...db,
    transaction: (scope, work) => (isGone ? Promise.reject(gone) : db.transaction(scope, work)),
  }))
  onTestFinished(() => loop.stop())
  for (let look = 1; look <= 3; look++) {
    await expect.poll(() => said().split('it is tried again in 5 seconds').length - 1).toBe(look)
    world().clock.offset += 10 * MINUTE_MS
    loop.wake()
  }
  expect(isReady()).toBe(false)
  isGone = false
  loop.wake()
  world().clock.offset += MINUTE_MS
  loop.wake()
  await expect.poll(isReady).toBe(true)
})

test('a key that somebody holds keeps the worker from being ready, and no other part of the journal from being applied', async () => {
  const { rows, clock } = world()
  const { session, teamId } = await world().signInAnyone()
  await withSession(world().app, session, 'POST', '/keys', { role: 'member' })
  const [{ key = '' } = {}] = await rows('select public_part as key from service.api_keys where team_id = $1', teamId)
  const at = clock.now().toISOString()
  const [id, erasure] = [randomUUID(), { ...(await namedInJournal(world().writer, teamId)), marks: ['00'] }]
  await appendToJournal(journal(), [
    { id: key, at, key: { ends: at } },
    { id, at, erasure },
  ])
  await rows('begin')
  await rows('select from service.api_keys where public_part = $1 for update', key)
  const { loop, said, isReady } = start()
  onTestFinished(() => loop.stop())
  try {
    await expect.poll(said).toContain('it is tried again in 5 seconds')
    expect(await rows('select id from service.erasures where id = $1', id)).toEqual([{ id }])
    expect(isReady()).toBe(false)
  } finally {
    await rows('rollback')
  }
  clock.offset += 5000
  loop.wake()
  await expect.poll(isReady).toBe(true)
  expect(await rows('select from service.api_keys where public_part = $1 and expires is not null', key)).toHaveLength(1)
})
