import { LRUCache } from 'lru-cache'
import { oneOfEach } from '../../platform/process/one-of-each.js'
import type { IndexReader } from './index-db.js'

/** The points kept in memory, about 300 bytes each. */
const MOST_KEPT = 50_000

/** A block by its number, or an instant. */
export type NamedPoint = number | Date

const keyOf = (named: NamedPoint): string => (typeof named === 'number' ? `block ${named}` : `at ${named.getTime()}`)

/** Remembers the meaning of points that are settled: nothing can change it any more. */
export function settledPoints<Point extends { isSettled: boolean }>() {
  const pointsOf = oneOfEach((_: IndexReader) => new LRUCache<string, Point>({ max: MOST_KEPT }))
  return {
    find: (db: IndexReader, named: NamedPoint): Point | undefined => pointsOf(db).get(keyOf(named)),
    /** Keeps a point, if it is settled. */
    keep(db: IndexReader, named: NamedPoint, point: Point): void {
      if (point.isSettled) pointsOf(db).set(keyOf(named), point)
    },
  }
}
