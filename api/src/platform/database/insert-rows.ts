import type { SentStatement } from './database.js'

/** The type of each column, as Postgres names it. */
export type ColumnTypes<Row> = { readonly [Column in keyof Row]-?: string }

/**
 * Makes inserts of any number of rows with one text: Postgres parses and plans it once, and nobody compiles it again.
 * Values of one column travel as one array.
 */
export function inserter<Row extends object>(table: string, types: ColumnTypes<Row>) {
  const columns = Object.keys(types).filter((name): name is keyof Row & string => name in types)
  const arrays = columns.map((column, i) => `$${i + 1}::${types[column]}[]`)
  const text = `insert into ${table} (${columns.map((name) => `"${name}"`).join(', ')}) select * from unnest(${arrays.join(', ')})`
  return (rows: readonly Row[]): SentStatement => ({
    sql: text,
    parameters: columns.map((column) => rows.map((row) => row[column] ?? null)),
  })
}
