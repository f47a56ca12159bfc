import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type ScratchDatabase, serviceDatabase } from '../testing/scratch-database.js'
import type { Database } from './database.js'
import { openDatabase } from './open-database.js'
import { servicePool } from './pool.js'

let scratch: ScratchDatabase
let db: Database
beforeAll(async () => {
  scratch = await serviceDatabase()
})
afterAll(() => scratch.close())

const open = (max: number) => {
  const pool = servicePool({ url: scratch.systemUrl, max, applicationName: 'test' })
  return openDatabase(pool, pool)
}

beforeEach(() => {
  // One connection, so that each statement meets what was kept before it.
  db = open(1)
  return () => db.close()
})

const ask = async <Row>(statement: RawBuilder<Row>) =>
  db.read('system', async (reader) => (await statement.execute(reader)).rows)
const kept = async (like: string) =>
  (await ask(sql<{ statement: string }>`select statement from pg_prepared_statements where statement like ${like}`))
    .length

test('a statement that comes again is planned once, whatever it asks about', async () => {
  const plus = (number: number) => ask(sql<{ sum: number }>`select ${number}::int + 40 as sum`)
  expect(await plus(1)).toEqual([{ sum: 41 }])
  expect(await kept('%+ 40 as sum')).toBe(0)
  expect([await plus(2), await plus(3)]).toEqual([[{ sum: 42 }], [{ sum: 43 }]])
  expect(await kept('%+ 40 as sum')).toBe(1)
})

test('statements for any number of rows are kept for up to 64', async () => {
  const among = (count: number) =>
    ask(sql`select true as kept where 0 in (${sql.join(Array.from({ length: count }, (_, index) => index))})`)
  for (const count of [63, 64, 65]) {
    const before = await kept('select true as kept%')
    await among(count)
    await among(count)
    expect((await kept('select true as kept%')) - before, `${count}`).toBe(count <= 64 ? 1 : 0)
  }
})

test('no more than 300 are kept: then they begin anew on another connection', async () => {
  const columns = (from: number, to: number) =>
    db.read('system', async (reader) => {
      for (let n = from; n < to; n += 1) {
        const statement = sql`select ${n}::int as ${sql.ref(`column_${n}`)}`
        for (const _ of ['first', 'second'])
          expect((await statement.execute(reader)).rows).toEqual([{ [`column_${n}`]: n }])
      }
    })
  await columns(0, 299)
  expect(await kept('select $1::int as "column_%')).toBe(299)
  await columns(299, 301)
  expect(await kept('select $1::int as "column_%')).toBeLessThanOrEqual(1)
  expect(await ask(sql`select ${7}::int as column_7`)).toEqual([{ column_7: 7 }])
})

/** Tells how often Postgres planned the kept statements for all values, and how often for those of one time. */
const plans = `select coalesce(sum(generic_plans), 0)::int as once, coalesce(sum(custom_plans), 0)::int as "byValue"
  from pg_prepared_statements where statement like 'select typname%'`
/** Postgres expects ten where it does not know how many are asked for, and would plan for each time. */
const named = (names: string[]) => sql<{ typname: string }>`select typname from pg_type where typname = any(${names})`

test('a transaction or a read by key plans its statements once, and those after it are planned for their values', async () => {
  const askTwice = (kind?: 'writes by key') =>
    db.transaction(
      'system',
      async (tx) => {
        for (const type of ['int4', 'text']) await named([type]).execute(tx)
      },
      kind,
    )
  const told = async () => (await ask(sql.raw<{ once: number; byValue: number }>(plans)))[0]
  await askTwice('writes by key')
  await askTwice('writes by key')
  expect(await told()).toEqual({ once: 3, byValue: 0 })
  await askTwice()
  expect(await told()).toEqual({ once: 3, byValue: 2 })
  await db.read('system', (reader) => named(['int4']).execute(reader), 'reads by key')
  await db.read('system', (reader) => named(['int4']).execute(reader))
  expect(await told()).toEqual({ once: 4, byValue: 3 })
})

const changing = async (run: (admin: pg.Client) => Promise<void>) => {
  const admin = new pg.Client({ connectionString: scratch.adminUrl })
  await admin.connect()
  await admin.query(`drop table if exists service.t_changing; create table service.t_changing (a int);
    grant select on service.t_changing to public; insert into service.t_changing values (1)`)
  try {
    await run(admin)
  } finally {
    await admin.end()
  }
}

test('a table that changes under the service costs one failed answer, and never gives a wrong one', () =>
  changing(async (admin) => {
    await db.close()
    db = open(2)
    const statement = sql`select * from service.t_changing where a = ${1}`
    let lent = 0
    const keepOnBoth = () =>
      db.read('system', async (reader) => {
        lent += 1
        await vi.waitUntil(() => lent === 2, { timeout: 60_000 })
        for (let times = 0; times < 3; times += 1) await statement.execute(reader)
      })
    await Promise.all([keepOnBoth(), keepOnBoth()])
    const all = () => ask(statement)
    await admin.query('alter table service.t_changing add b int')
    await expect(all()).rejects.toMatchObject({ type: 'unavailable', status: 503 })
    const answers = await Promise.all(Array.from({ length: 8 }, all))
    expect(new Set(answers.flat().map((row) => JSON.stringify(row)))).toEqual(new Set(['{"a":1,"b":null}']))
  }))
