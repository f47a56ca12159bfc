import type { SentStatement } from './database.js'

/** A column that is stored otherwise than it is sent: the type that is sent, and the expression of a row `r` of it. */
interface Made {
  sent: string
  stored: string
}

/** The type of each column, as Postgres names it. */
export type ColumnTypes<Row> = { readonly [Column in keyof Row]-?: string | Made }

/**
 * Makes inserts of any number of rows with one text: Postgres parses and plans it once, and nobody compiles it again.
 * Values of one column travel as one array.
 */
export function inserter<Row extends object>(table: string, types: ColumnTypes<Row>) {
  const columns = Object.keys(types).filter((name): name is keyof Row & string => name in types)
  const made = columns.map((column): Made => {
    const type = types[column]
    return typeof type === 'string' ? { sent: type, stored: `r."${column}"` } : type
  })
  const named = columns.map((name) => `"${name}"`).join(', ')
  const arrays = made.map(({ sent }, i) => `$${i + 1}::${sent}[]`).join(', ')
  const stored = made.map((column) => column.stored).join(', ')
  const text = `insert into ${table} (${named}) select ${stored} from unnest(${arrays}) as r (${named})`
  return (rows: readonly Row[]): SentStatement => ({
    sql: text,
    parameters: columns.map((column) => rows.map((row) => row[column] ?? null)),
  })
}
