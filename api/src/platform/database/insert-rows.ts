import type { Insertable } from 'kysely'
import type { SentStatement } from './database.js'
import type { ServiceTables } from './tables.js'

/** The type of each column, as Postgres names it. */
export type ColumnTypes<Row> = { readonly [Column in keyof Row]-?: string }

/** Columns whose values Postgres makes of what was given: SQL over the row `r`. */
type Made<Row> = { readonly [Column in keyof Row & string]?: string }

/**
 * Makes inserts of any number of rows with one text: Postgres parses and plans it once, and nobody compiles it again.
 * Values of one column travel as one array; those of a column of arrays as texts, since arrays of arrays would be one.
 */
export function inserter<Row extends object>(table: string, types: ColumnTypes<Row>, made: Made<Row> = {}) {
  const columns = Object.keys(types).filter((name): name is keyof Row & string => name in types)
  const isArray = (column: keyof Row): boolean => types[column].endsWith('[]')
  const arrays = columns.map((column, i) => `$${i + 1}::${isArray(column) ? 'text' : types[column]}[]`)
  const names = columns.map((name) => `"${name}"`).join(', ')
  const values = columns.map((column) => made[column] ?? `r."${column}"${isArray(column) ? `::${types[column]}` : ''}`)
  const text = `insert into ${table} (${names}) select ${values.join(', ')} from unnest(${arrays.join(', ')}) as r (${names})`
  return (rows: readonly Row[]): SentStatement => ({
    sql: text,
    parameters: columns.map((column) =>
      rows.map((row) => (isArray(column) ? literalOf(row[column]) : (row[column] ?? null))),
    ),
  })
}

/** Writes an array of bytes as Postgres reads it: `{"\\x01","\\x02"}`. */
function literalOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (!Array.isArray(value) || !value.every((one) => one instanceof Uint8Array))
    throw new TypeError('the arrays of rows are arrays of bytes')
  return `{${value.map((bytes) => `"\\\\x${Buffer.from(bytes).toString('hex')}"`).join(',')}}`
}

export type AuditRow = Omit<Insertable<ServiceTables['audit']>, 'id'>
export type EventRow = Omit<Insertable<ServiceTables['outgoing_events']>, 'id' | 'created'>

export const insertAudit = inserter<AuditRow>('audit', {
  team_id: 'bigint',
  at: 'timestamptz',
  actor: 'text',
  action: 'text',
  subject: 'text',
  detail: 'jsonb',
  request_id: 'text',
  address: 'text',
  before: 'jsonb',
  after: 'jsonb',
})

export const insertOutgoingEvents = inserter<EventRow>('outgoing_events', {
  team_id: 'bigint',
  event: 'text',
  sealed: 'bytea',
  resource: 'bytea',
  webhook_id: 'text',
  trace: 'text',
  marks: 'bytea[]',
})
