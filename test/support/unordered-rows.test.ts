import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from './scratch-database.js'
import { ordersRows } from './unordered-rows.js'

let database: ScratchDatabase
let client: pg.Client
beforeAll(async () => {
  database = await scratchDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

test('rows that a statement does not order come the other way round, and the others as they are', async () => {
  const rows = async (statement: string, values?: unknown[]) =>
    (await client.query<{ n: number }>(statement, values)).rows.map(({ n }) => n)
  const numbers = 'select n from generate_series(1, 3) n'
  expect(await rows(numbers)).toEqual([3, 2, 1])
  expect(await rows(`${numbers} where n > $1`, [1])).toEqual([3, 2])
  expect(await rows(`${numbers} order by n`)).toEqual([1, 2, 3])
  expect(await rows(`${numbers} where n > $1 order by n`, [1])).toEqual([2, 3])
})

test.each<[string, boolean]>([
  ['select 1 union select 2 order by 1', true],
  ['with a as (select 1) select * from a ORDER\n BY 1', true],
  ["select ')' as a, '(' as b order by 1", true],
  ['select row_number() over (order by n) from t', false],
  ['select * from (select * from t order by n limit 1) t', false],
  ['select array(select n from t order by n) from t', false],
  ["select 'order by' from t", false],
  ['select n from t -- order by n', false],
])('%s: %s', (statement, isOrdered) => {
  expect(ordersRows(statement)).toBe(isOrdered)
})
