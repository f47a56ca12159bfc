import { type RawBuilder, sql } from 'kysely'
import type { At } from './at.js'

/** The block whose state is asked for. */
export type AtBlock = Pick<At, 'block'>

/** Tells in SQL whether a row of `alias` is true at `block`, a height or an expression of one. */
export function validAt(alias: string, block: number | RawBuilder<number>): RawBuilder<boolean> {
  const from = sql.ref(`${alias}.from_block`)
  return sql<boolean>`(${from} <= ${block} and ${unendedAt(alias, block)})`
}

/** Tells in SQL whether a row of `alias` had not ended at `block`: it is true there, or later. */
export function unendedAt(alias: string, block: number | RawBuilder<number>): RawBuilder<boolean> {
  const to = sql.ref(`${alias}.to_block`)
  return sql<boolean>`(${to} is null or ${to} > ${block})`
}
