import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseWithTeam } from '../testing/for-all-tests.js'
import { KEPT_DATA } from './kept-data.js'

const world = databaseWithTeam()

async function columns(): Promise<Map<string, string[]>> {
  const { rows } = await world().scratch.db.read('system', (reader) =>
    sql<{ table: string; columns: string[] }>`
      select c.relname as table, array_agg(a.attname::text) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'service'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'migrations'
      group by c.relname`.execute(reader),
  )
  return new Map(rows.map(({ table, columns }) => [table, columns]))
}

test('every table of the service declares how long its rows stay, and every declared table exists', async () => {
  expect(Object.keys(KEPT_DATA).sort()).toEqual([...(await columns()).keys()].sort())
})

test('every declared column exists, and a row that ends with its team tells the team', async () => {
  const tables = await columns()
  const wrong = Object.entries(KEPT_DATA).flatMap(([table, { retention, personal }]) => {
    const known = tables.get(table) ?? []
    const { until } = retention
    const timed = until === 'ageOf' ? [retention.by] : 'column' in retention ? [retention.column] : []
    const named = [...personal, ...timed]
    const ofTeam = retention.until === 'team' || retention.until === 'policy'
    return [
      ...named.filter((column) => !known.includes(column)).map((column) => `${table}.${column} does not exist`),
      ...(ofTeam && table !== 'teams' && !known.includes('team_id') ? [`${table} tells no team`] : []),
    ]
  })
  expect(wrong).toEqual([])
})

/** Names that columns with facts about people have. */
const ABOUT_PEOPLE =
  /^(email|name|alias|address|ips|image|sealed|user_id|subject_ref|invited_by|created_by|description|reason)$/

test('a column whose name tells that it is about people is declared', async () => {
  const declared = new Map<string, readonly string[]>(
    Object.entries(KEPT_DATA).map(([name, { personal }]) => [name, personal]),
  )
  const undeclared = [...(await columns())].flatMap(([table, names]) =>
    names
      .filter((name) => ABOUT_PEOPLE.test(name) && !declared.get(table)?.includes(name))
      .map((name) => `${table}.${name}`),
  )
  // The name of a schema is that of a kind of credential; plans are the deployment's.
  expect(undeclared.sort()).toEqual(['plans.name', 'schemas.name'])
})

test('row-level security limits every table, also for its owner', async () => {
  const { rows } = await world().scratch.db.read('system', (reader) =>
    sql<{ name: string }>`select relname as name from pg_class
      where relnamespace = 'service'::regnamespace and relkind in ('r', 'p') and relname <> 'migrations'
        and not (relrowsecurity and relforcerowsecurity)`.execute(reader),
  )
  expect(rows).toEqual([])
})
