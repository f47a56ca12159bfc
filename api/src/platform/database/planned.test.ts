import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../testing.js'
import { type Database, openDatabase } from './database.js'
import { servicePool } from './pool.js'

let scratch: ScratchDatabase
let db: Database
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch.close())

beforeEach(() => {
  // One connection, so that each statement meets what was kept before it.
  const pool = servicePool({ url: scratch.systemUrl, max: 1, applicationName: 'test' })
  db = openDatabase(pool, pool)
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

test('of statements for any number of rows those for up to 64 are kept', async () => {
  const among = (count: number) =>
    ask(sql`select true as kept where 0 in (${sql.join(Array.from({ length: count }, (_, index) => index))})`)
  for (const count of [63, 64, 65]) {
    const before = await kept('select true as kept%')
    await among(count)
    await among(count)
    expect((await kept('select true as kept%')) - before, `${count}`).toBe(count <= 64 ? 1 : 0)
  }
})

test('no more than a thousand are kept', async () => {
  for (let round = 0; round < 2; round += 1)
    await db.read('system', async (reader) => {
      for (let n = 0; n < 1_001; n += 1) await sql`select ${n}::int as ${sql.ref(`column_${n}`)}`.execute(reader)
    })
  expect(await kept('select $1::int as "column_%')).toBeLessThanOrEqual(1_000)
  expect(await ask(sql`select ${7}::int as column_1000`)).toEqual([{ column_1000: 7 }])
})

test('a table that changes while the service runs costs one answer, which says so, and no wrong one', async () => {
  const admin = new pg.Client({ connectionString: scratch.adminUrl })
  await admin.connect()
  await admin.query(`create table service.t_changing (a int); grant select on service.t_changing to public;
    insert into service.t_changing values (1)`)
  const all = () => ask(sql`select * from service.t_changing where a = ${1}`)
  for (let times = 0; times < 3; times += 1) expect(await all()).toEqual([{ a: 1 }])
  await admin.query('alter table service.t_changing add b int')
  await admin.end()
  await expect(all()).rejects.toMatchObject({ type: 'unavailable', status: 503 })
  expect(await all()).toEqual([{ a: 1, b: null }])
})
