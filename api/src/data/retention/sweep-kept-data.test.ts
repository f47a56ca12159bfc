import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KEPT_DATA, POLICIES, type Retention } from '../../platform/database/kept-data.js'
import { databaseWithTeam } from '../../platform/testing/for-all-tests.js'
import { testEnvironment } from '../../platform/testing/scratch-database.js'
import { RowWriter } from '../rows.testing.js'
import { sweepKeptData } from './sweep-kept-data.js'

const world = databaseWithTeam()
let writer: RowWriter
beforeAll(async () => {
  writer = await RowWriter.open(world().scratch.adminUrl, now)
})
afterAll(() => writer.close())

const HOUR = 3600
const DAY = 24 * HOUR
const now = new Date('2031-05-04T12:00:00Z')
const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1000)
const sweep = () => sweepKeptData(testEnvironment(world().scratch, { clock: { now: () => now } }))

const declared: [table: string, retention: Retention][] = Object.entries(KEPT_DATA).map(([table, { retention }]) => [
  table,
  retention,
])
const is = <U extends Retention['until']>(until: U) =>
  declared.flatMap(([table, retention]) =>
    retention.until === until ? [[table, retention as Extract<Retention, { until: U }>] as const] : [],
  )

/** Two rows of a table, one whose time is over, and one that has a second left. @returns those that stay */
async function sweptOf(table: string, column: string, over: Date, more: Record<string, unknown> = {}) {
  const team_id = world().team.team
  await writer.query(`delete from service.${table}`)
  const rows = [over, new Date(over.getTime() + 1000)]
  // Rows of tables that tell no team take nothing of this.
  const given = { ...more, ...((await tellsTeam(table)) && { team_id }) }
  for (const time of rows) await writer.insert(table, { ...given, [column]: time })
  await sweep()
  const left = await writer.query<{ time: Date }>(`select ${column} as time from service.${table} order by 1`)
  return left.map(({ time }) => (time.getTime() - over.getTime()) / 1000)
}

const tellsTeam = async (table: string): Promise<boolean> => {
  const rows = await writer.query(
    `select from pg_attribute where attrelid = ('service.' || $1)::regclass and attname = 'team_id'`,
    [table],
  )
  return rows.length > 0
}

test.each(is('expiry'))('%s: a row goes when it expires, and not a second earlier', async (table, { column }) => {
  expect(await sweptOf(table, column, now)).toEqual([1])
})

test.each(is('age'))('%s: a row goes at its age, and not a second earlier', async (table, { column, days, stays }) => {
  expect(await sweptOf(table, column, ago(days * DAY))).toEqual([1])
  if (stays === undefined || stays.values === 'any') return
  for (const value of stays.values)
    expect(await sweptOf(table, column, ago(days * DAY), { [stays.column]: value })).toEqual([0, 1])
})

test.each(is('ageOf'))('%s: a row goes when what it is part of is old enough', async (table, retention) => {
  const { table: parent, by, column, days } = retention
  for (const [seconds, left] of [
    [days * DAY, 0],
    [days * DAY - 1, 1],
  ] as const) {
    await writer.query(`delete from service.${table}`)
    writer.rows.clear()
    const made = await writer.insert(parent, { [column]: ago(seconds) })
    await writer.insert(table, { [by]: made[by] })
    await sweep()
    expect(await writer.query(`select from service.${table}`)).toHaveLength(left)
  }
})

test.each(is('parent'))('%s: a row ends with the row that it names', async (table, { table: parent, column }) => {
  const [foreign] = await writer.query(
    `select f.confdeltype as effect from pg_constraint f join pg_attribute a on a.attrelid = f.conrelid and a.attnum = any(f.conkey)
    where f.conrelid = ('service.' || $1)::regclass and f.confrelid = ('service.' || $2)::regclass and a.attname = $3`,
    [table, parent, column],
  )
  expect(foreign).toEqual({ effect: 'c' })
})

describe.each(is('policy'))('%s', (table, { policy, column, stays }) => {
  const set = (seconds: number | undefined) =>
    writer.query(`update service.teams set retention_policy = $1 where id = $2`, [
      JSON.stringify(seconds === undefined ? {} : { [policy]: seconds }),
      world().team.team,
    ])

  test('a row goes by the policy of its team, and not a second earlier', async () => {
    await set(HOUR)
    expect(await sweptOf(table, column, ago(HOUR))).toEqual([1])
    await set(5 * DAY)
    expect(await sweptOf(table, column, ago(HOUR))).toEqual([0, 1])
    expect(await sweptOf(table, column, ago(5 * DAY))).toEqual([1])
  })

  test('a row that is kept for another reason stays', async () => {
    await set(HOUR)
    if (stays?.values !== 'any') return
    expect(await sweptOf(table, column, ago(HOUR), { [stays.column]: Buffer.from('kept') })).toEqual([0, 1])
  })
})

test('metadata of credentials stays for ever by default', async () => {
  await writer.query(`update service.teams set retention_policy = '{}'`)
  expect(await sweptOf('credentials', 'created', ago(36_500 * DAY))).toEqual([0, 1])
})

test('every policy is one of a table, or is shown as not enforced yet', () => {
  const enforced = is('policy').map(([, { policy }]) => policy)
  expect(POLICIES.filter((policy) => !enforced.includes(policy))).toEqual([
    'verificationData',
    'verificationRequests',
    'credentialOffers',
  ])
})

test('the report counts what went by day, table and rule, for the team that had it', async () => {
  await writer.query('delete from service.swept_rows')
  const { team } = world().team
  await writer.query('delete from service.outgoing_events')
  for (const days of [7, 8, 6]) await writer.insert('outgoing_events', { team_id: team, created: ago(days * DAY) })
  await sweep()
  await writer.insert('outgoing_events', { team_id: team, created: ago(7 * DAY) })
  await sweep()
  const rows = await writer.query(
    'select team_id, day, kind, policy, rows from service.swept_rows where team_id = $1',
    [team],
  )
  expect(rows.map((row) => ({ ...row, team_id: Number(row.team_id), rows: Number(row.rows) }))).toEqual([
    { team_id: team, day: new Date('2031-05-04T00:00:00Z'), kind: 'outgoing_events', policy: '7 days', rows: 3 },
  ])
})

test('more rows than one statement deletes go in one sweep', async () => {
  await writer.query('delete from service.sign_in_links')
  await writer.query(`insert into service.sign_in_links (hash, email, expires)
    select sha256(n::text::bytea), 'a@example.org', '2001-01-01' from generate_series(1, 2500) n`)
  await sweep()
  expect(await writer.query('select from service.sign_in_links')).toEqual([])
})
