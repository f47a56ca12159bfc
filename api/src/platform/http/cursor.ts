import { createHash } from 'node:crypto'
import { invalid } from '../errors.js'

const MARK_BYTES = 6

/**
 * Returns the place where the next page of a list begins, marked with its query: in another query it would skip
 * things that nobody has seen.
 *
 * @param query the parameters that decide which things are listed, and their order; not how many at once
 * @param key the place where the page ended
 */
export function cursorAfter(query: unknown, key: string): string {
  return Buffer.concat([markOf(query), Buffer.from(key)]).toString('base64url')
}

/** @throws 400 `invalid_request` for a text that is no cursor of this query */
export function keyOfCursor(query: unknown, cursor: string, field = 'cursor'): string {
  const bytes = Buffer.from(cursor, 'base64url')
  const key = bytes.subarray(MARK_BYTES).toString('utf8')
  if (bytes.length <= MARK_BYTES || bytes.toString('base64url') !== cursor || key.includes('\0'))
    throw invalid(`${field} must be one that a page before answered`, { field })
  if (!bytes.subarray(0, MARK_BYTES).equals(markOf(query)))
    throw invalid(`${field} belongs to another query: leave it out to begin with the first page of this one`, { field })
  return key
}

function markOf(query: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(query)).digest().subarray(0, MARK_BYTES)
}
