import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../test/support/scratch-database.js'
import { openDatabase } from '../src/database.js'
import { takeLease } from '../src/lease.js'
import { migrate } from '../src/migrations.js'
import { systemRandomness } from '../src/randomness.js'
import { until } from './support.js'

const holdMs = 900
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

test('the lease is lost when a sign of life is not answered in time, before anyone may take it, and not earlier', async () => {
  const { db, pool, name, close } = openDatabase(scratch.url, systemRandomness)
  await migrate(db)
  let lostAt: number | undefined
  const onLost = () => {
    lostAt ??= performance.now()
  }
  const lease = await takeLease({ db, pool, name, holdMs, log: pino({ level: 'silent' }), onLost })

  await holdUpSigns()
  await other.query('commit')
  await until(async () => (await signsWaiting()) === 0)
  const seen = await lastSign()
  await until(async () => (await lastSign()) - seen > holdMs / 1000)
  expect(lostAt).toBeUndefined()

  const before = performance.now()
  await holdUpSigns()
  await until(() => lostAt !== undefined)
  expect((lostAt ?? 0) - before).toBeLessThan(holdMs + 200)
  await other.query('commit')
  await lease.release()
  await close()
})

/** No sign is answered until the transaction ends; returns when one waits. */
async function holdUpSigns(): Promise<void> {
  await other.query('begin; lock table signer.holder in exclusive mode')
  await until(async () => (await signsWaiting()) > 0)
}

async function signsWaiting(): Promise<number> {
  const { rows } = await other.query(
    `select count(*)::int as waiting from pg_locks where not granted and relation = 'signer.holder'::regclass`,
  )
  return rows[0].waiting
}

async function lastSign(): Promise<number> {
  const { rows } = await other.query('select extract(epoch from seen_at)::float as s from signer.holder')
  return rows[0].s
}
