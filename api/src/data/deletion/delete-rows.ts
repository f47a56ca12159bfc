import { sql } from 'kysely'
import type { Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { KEPT_DATA } from '../../platform/database/kept-data.js'
import type { Column, TableShape } from '../table-shapes.js'

/** The rows of a statement: it locks nobody out for long. */
export const AT_ONCE = 1000

const keptOf = new Map(Object.entries(KEPT_DATA))

/** The rows of whom: of one team, or of teams that are no more. */
export type Owner = TeamId | 'nobody'

const isOwned = (owner: Owner) =>
  owner === 'nobody'
    ? sql`k.team_id is not null and not exists (select from service.teams t where t.id = k.team_id)`
    : sql`k.team_id = ${owner}`

/** Tells whether the rows of a table go with their team. */
export function endsWithTeam({ table, columns }: TableShape): boolean {
  const kept = keptOf.get(table)
  if (kept === undefined || !columns.has('team_id') || kept.outlivesTeam) return false
  return kept.retention.until !== 'always'
}

/** Deletes some rows of a table. @returns how many */
export async function deleteRows(tx: Tx, { table }: TableShape, owner: Owner): Promise<number> {
  const name = sql.table(`service.${table}`)
  const { rows } = await sql<{ gone: number }>`
    with gone as (delete from ${name} where ctid = any(array(
      select k.ctid from ${name} k where ${isOwned(owner)} limit ${AT_ONCE})) returning 1)
    select count(*)::int as gone from gone`.execute(tx)
  return rows[0]?.gone ?? 0
}

/** The names that pages show in place of those of a deleted team. */
const SHOWN = new Set(['name', 'owner_name'])
const EMPTY: Readonly<Record<string, string>> = { text: '', jsonb: '{}', json: '{}', 'text[]': '{}', bytea: '' }

/** Returns what stands in a column of a row that stays when the texts of people are taken from it. */
function blankOf({ name, type, isNullable }: Column): string | null {
  if (SHOWN.has(name)) return '[deleted]'
  if (isNullable) return null
  const empty = EMPTY[type]
  if (empty === undefined) throw new Error(`a column of the type ${type} cannot be blanked: ${name}`)
  return empty
}

/** Returns the columns of a table whose rows stay, and the texts of people in them go; none where there are none. */
export function blankColumns({ table, columns }: TableShape): readonly Column[] {
  const kept = keptOf.get(table)
  if (kept?.retention.until !== 'always' || !columns.has('team_id')) return []
  return kept.personal.flatMap((name) => columns.get(name) ?? [])
}

/** Takes the texts of people from some rows. @returns from how many */
export async function blankRows(tx: Tx, shape: TableShape, owner: Owner): Promise<number> {
  const name = sql.table(`service.${shape.table}`)
  const blanks = blankColumns(shape).map((column) => ({
    column: sql.ref(column.name),
    blank: sql`${blankOf(column)}::${sql.raw(column.type)}`,
  }))
  const sets = blanks.map(({ column, blank }) => sql`${column} = ${blank}`)
  const isFull = blanks.map(({ column, blank }) => sql`k.${column}::text is distinct from ${blank}::text`)
  const { rows } = await sql<{ blanked: number }>`
    with blanked as (update ${name} set ${sql.join(sets)} where ctid = any(array(
      select k.ctid from ${name} k where ${isOwned(owner)} and (${sql.join(isFull, sql` or `)}) limit ${AT_ONCE}))
      returning 1)
    select count(*)::int as blanked from blanked`.execute(tx)
  return rows[0]?.blanked ?? 0
}
