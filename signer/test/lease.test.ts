import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../test/support/scratch-database.js'
import { silenceWatch, takeLease } from '../src/actions/lease.js'
import { openDatabase } from '../src/database.js'
import { migrate } from '../src/migrations.js'
import { systemRandomness } from '../src/randomness.js'

const holdMs = 900
/** The time for three signs of life. */
const pauseMs = holdMs / 3
let scratch: ScratchDatabase
let other: pg.Client

beforeAll(async () => {
  scratch = await scratchDatabase()
  other = new pg.Client({ connectionString: scratch.url })
  await other.connect()
})
afterAll(async () => {
  await other.end()
  await scratch.drop()
})

// The signer's time passes when the test tells it to, however long Postgres takes.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('the lease is lost when a sign of life is not answered in time, before anyone may take it, and not earlier', async () => {
  const { db, pool, name, close } = openDatabase(scratch.url, systemRandomness)
  await migrate(db)
  const onLost = vi.fn()
  const isAnswered = watchAnswers()
  const lease = await takeLease({ db, pool, name, holdMs, log: pino({ level: 'silent' }), onLost })
  const isSilent = silenceWatch(() => performance.now())
  const looksSilent = async () => isSilent({ name, seen: await lastSign(), hold_ms: holdMs })

  await holdUpSigns()
  vi.advanceTimersByTime(2 * pauseMs - 1)
  await other.query('commit')
  await until(isAnswered)
  for (const pause of [1, ...Array(5).fill(pauseMs)]) {
    vi.advanceTimersByTime(pause)
    await until(isAnswered)
    expect(await looksSilent()).toBe(false)
  }
  expect(onLost).not.toHaveBeenCalled()

  await holdUpSigns()
  vi.advanceTimersByTime(2 * pauseMs - 1)
  expect([onLost.mock.calls.length, await looksSilent()]).toEqual([0, false])
  vi.advanceTimersByTime(1)
  // A signer that saw the last sign when it was given may take the lock from this moment on.
  expect([onLost.mock.calls.length, await looksSilent()]).toEqual([1, true])
  await other.query('commit')
  await lease.release()
  await close()
})

/** Tells whether everything is answered that was asked of the database, but for what the test asks itself. */
function watchAnswers(): () => boolean {
  const { query } = pg.Client.prototype
  let waiting = 0
  const end = () => {
    waiting -= 1
  }
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...asked: unknown[]) {
    const answer: unknown = Reflect.apply(query, this, asked)
    if (this !== other && answer instanceof Promise) {
      waiting += 1
      answer.then(end, end)
    }
    return answer
  })
  return () => waiting === 0
}

/** The next sign waits until the transaction ends. */
async function holdUpSigns(): Promise<void> {
  await other.query('begin; lock table signer.holder in exclusive mode')
  vi.advanceTimersByTime(pauseMs)
  await until(async () => (await signsWaiting()) > 0)
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve))
}

async function signsWaiting(): Promise<number> {
  const { rows } = await other.query(
    `select count(*)::int as waiting from pg_locks where not granted and relation = 'signer.holder'::regclass`,
  )
  return rows[0].waiting
}

async function lastSign(): Promise<string> {
  const { rows } = await other.query('select seen_at::text as seen from signer.holder')
  return rows[0].seen
}
