import { sql } from 'kysely'
import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { JsonObject } from '../../platform/database/tables.js'
import type { Environment } from '../../platform/http/context.js'
import { EXPORTED, type Exported, type Hidden } from './exported-tables.js'
import { sealedContents } from './sealed-contents.js'

/** The rows that are in memory at a time. */
const ROWS = 500

export interface ExportServices extends Pick<Environment, 'deriveKey' | 'events'> {
  reader: Reader
  team: TeamId
}

/** The tables that are exported. */
export const TABLES: ReadonlyMap<string, Exported> = new Map(
  Object.entries<Exported | Hidden>(EXPORTED).flatMap(([table, entry]) => ('hidden' in entry ? [] : [[table, entry]])),
)

/** Reads the rows of a team in a table through a cursor, each as a line of JSON. */
export async function* exportedLines(services: ExportServices, table: string): AsyncGenerator<string[]> {
  const { reader, team } = services
  const { sealed, without = [], also = {}, where = 't.team_id = $1' } = TABLES.get(table) ?? {}
  const left = [...without, ...(sealed === undefined ? [] : [sealed])]
  const more = Object.entries(also).flatMap(([name, value]) => [sql.lit(name), sql.raw(value)])
  const cursor = sql.id(`export_${table}`)
  // A cursor takes no parameters; the team is a number.
  const condition = sql.raw(where.replaceAll('$1', String(Number(team))))
  await sql`declare ${cursor} no scroll cursor for
    select (to_jsonb(t) - array[${sql.join(left.map((name) => sql.lit(name)))}]::text[]
      || jsonb_build_object(${sql.join(more)}))::text as line,
      ${sealed === undefined ? sql.lit(null) : sql.ref(`t.${sealed}`)}::bytea as sealed
    from ${sql.id('service', table)} t where ${condition}`.execute(reader)
  for (;;) {
    const { rows } = await sql<{ line: string; sealed: Buffer | null }>`fetch ${sql.lit(ROWS)} from ${cursor}`.execute(
      reader,
    )
    if (rows.length > 0)
      yield rows.map((row) => (row.sealed === null ? row.line : opened(services, table, row.line, row.sealed)))
    if (rows.length < ROWS) break
  }
  await sql`close ${cursor}`.execute(reader)
}

/** A row whose seal is of a service key that is gone is told without its content. */
function opened(keys: ExportServices, table: string, line: string, sealed: Buffer): string {
  const { seal, ...row }: JsonObject = JSON.parse(line)
  const open = sealedContents[table]
  if (open === undefined) throw new Error(`nobody opens what ${table} holds sealed`)
  try {
    return JSON.stringify({ ...row, content: open(keys, { ...row, seal: seal ?? null }, sealed) })
  } catch {
    return JSON.stringify({ ...row, content: null, contentLost: true })
  }
}
