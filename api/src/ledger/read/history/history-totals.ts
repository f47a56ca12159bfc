import { oneOfEach } from '../../../platform/process/one-of-each.js'
import type { IndexReader } from '../index-db.js'

/** The number of totals that are remembered: the ones that were asked for last. */
const MOST = 2_000

/** The number of events that matched a filter up to a final block. */
interface Total {
  upTo: number
  total: number
}

const NOTHING: Total = { upTo: -1, total: 0 }
const totalsOf = oneOfEach((_: IndexReader) => new Map<string, Total>())

/** The known part of a filter's total at `block`: the number up to that block, or up to an earlier one. */
export function knownTotal(db: IndexReader, key: string, block: number): Total {
  const totals = totalsOf(db)
  const newest = totals.get(key)
  if (newest !== undefined && newest.upTo <= block) return newest
  return totals.get(ofPast(key, block)) ?? NOTHING
}

/** @param total of blocks that are final, and so for ever; `block` is the one that was asked for */
export function rememberTotal(db: IndexReader, key: string, total: Total, block: number): void {
  const totals = totalsOf(db)
  const newest = totals.get(key)
  // Questions about the past must not take the place of the newest one.
  const name = newest !== undefined && newest.upTo > block ? ofPast(key, block) : key
  totals.delete(name)
  totals.set(name, total)
  for (const oldest of totals.keys()) {
    if (totals.size <= MOST) return
    totals.delete(oldest)
  }
}

const ofPast = (key: string, block: number): string => `${key}@${block}`
