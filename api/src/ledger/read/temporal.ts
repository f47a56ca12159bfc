import { type RawBuilder, sql } from 'kysely'

/** Whether a row of `alias` is true at `block`. */
export function validAt(alias: string, block: number): RawBuilder<boolean> {
  const from = sql.ref(`${alias}.from_block`)
  const to = sql.ref(`${alias}.to_block`)
  return sql<boolean>`(${from} <= ${block} and (${to} is null or ${to} > ${block}))`
}
