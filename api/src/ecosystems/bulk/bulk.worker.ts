/**
 * Reads the rows of a large request and makes calls of the ledger of them, in a thread of their own: thousands take
 * seconds.
 */
import type { Hex32 } from '@accredit/chain'
import { invalid } from '../../platform/errors.js'
import { readBody, refuseUnstorable, type UnreadBody } from '../../platform/http/input/request-body.js'
import { decidingBodyReader } from '../../platform/http/input/unknown-members.js'
import { type ToldRefusal, tellRefusal } from '../../platform/process/told-refusal.js'
import { BulkRows, ROWS_MAX } from './bulk.shape.js'
import { type BulkPart, bulkParts } from './bulk-calls.js'
import { type BulkEntry, parseRows, problemsOf } from './bulk-rows.js'

export interface BulkTask {
  registryId: Hex32
  body: Pick<UnreadBody, 'bytes' | 'isLines'>
  /** The deepest nesting of the body. */
  depthLimit: number
  /** The least fee of a paid verification. */
  leastFee: number
}

export interface BulkPlan {
  entries: BulkEntry[]
  parts: BulkPart[]
}

const refuseUnknown = decidingBodyReader<unknown[]>(BulkRows)

export default function plan({ registryId, body, depthLimit, leastFee }: BulkTask): BulkPlan | ToldRefusal {
  return tellRefusal(() => {
    const rows = rowsIn(readBody(body, depthLimit))
    refuseUnknown(rows, (given) => problemsOf(given, leastFee))
    const entries = parseRows(rows, leastFee)
    return { entries, parts: bulkParts(registryId, entries) }
  })
}

function rowsIn(value: unknown): unknown[] {
  refuseUnstorable(value)
  if (!Array.isArray(value)) throw invalid('The body must be a list of rows')
  if (value.length === 0 || value.length > ROWS_MAX)
    throw invalid(`The body must be a list of 1 to ${ROWS_MAX} rows; got ${value.length}`)
  return value
}
