import { type RawBuilder, sql } from 'kysely'

/** To compare with `=`: one statement for a list of any length, where `in` has a text for each length. */
export const anyOf = <T extends string>(values: readonly T[]): RawBuilder<T> => sql<T>`any(${[...values]}::text[])`
