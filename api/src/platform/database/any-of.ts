import { type RawBuilder, sql } from 'kysely'

/** A value to compare with `=`: one statement serves a list of any length, where `in` has a text for each length. */
export const anyOf = <T extends string>(values: readonly T[]): RawBuilder<T> => sql<T>`any(${[...values]}::text[])`
