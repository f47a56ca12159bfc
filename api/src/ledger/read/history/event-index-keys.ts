import { type RawBuilder, sql } from 'kysely'
import type { HistoryFilter } from './history-filter.js'

/**
 * The keys of events by registry, by name or by both, each in the order of an index: each column has as many values.
 */
export type Trails = Partial<Record<'trust_registry_id' | 'name', readonly string[]>>

/** Returns the keys of a filter by registry or name; undefined: the filter names neither, or is narrower. */
export function trailsOf(filter: Omit<HistoryFilter, 'from' | 'to'>): Trails | undefined {
  const { trustRegistryId: registry, events, dids = [], schemaId, revocationRegistryId } = filter
  if (dids.length > 0 || schemaId !== undefined || revocationRegistryId !== undefined) return undefined
  if (events === undefined) return registry === undefined ? undefined : { trust_registry_id: [registry] }
  const names = [...new Set(events)]
  return registry === undefined ? { name: names } : { trust_registry_id: names.map(() => registry), name: names }
}

/**
 * A row for each key. Rows keep the values from the planner: it takes the events of a registry, and of a name in it, to
 * be spread evenly, and would look for rare events among all of them.
 */
export const rowsOf = (trails: Trails): RawBuilder<unknown> =>
  sql`unnest(${sql.join(Object.values(trails).map((values) => sql`${values}::text[]`))})`

export const columnsOf = (trails: Trails): RawBuilder<unknown> =>
  sql.join(Object.keys(trails).map((name) => sql.ref(name)))

/** Tells in SQL whether an event has the key of the row `trail`. */
export const isOnTrail = (trails: Trails): RawBuilder<boolean> =>
  sql<boolean>`${sql.join(
    Object.keys(trails).map((name) => sql`${sql.ref(`event.${name}`)} = ${sql.ref(`trail.${name}`)}`),
    sql` and `,
  )}`

/** Tells in SQL whether an event has any of the keys. */
export const isOnAny = (trails: Trails): RawBuilder<boolean> =>
  sql<boolean>`(${columnsOf(trails)}) in (select * from ${rowsOf(trails)})`
