import { LRUCache } from 'lru-cache'
import type { At } from './at.js'
import type { IndexReader } from './index-db.js'

/** The points kept in memory, about 300 bytes each. */
const MOST_KEPT = 50_000

/** A block by its number, or an instant. */
export type NamedPoint = number | Date

const kept = new WeakMap<IndexReader, LRUCache<string, At>>()

const keyOf = (named: NamedPoint): string => (typeof named === 'number' ? `block ${named}` : `at ${named.getTime()}`)

/** Returns what a point was found to mean once it was settled: it means that for ever. */
export function settledPoint(db: IndexReader, named: NamedPoint): At | undefined {
  return kept.get(db)?.get(keyOf(named))
}

/** Keeps the meaning of a point, if nothing can change it any more. */
export function keepSettled(db: IndexReader, named: NamedPoint, at: At): void {
  if (!at.isSettled) return
  const points = kept.get(db) ?? new LRUCache<string, At>({ max: MOST_KEPT })
  kept.set(db, points)
  points.set(keyOf(named), at)
}
