/**
 * Reads the rows of a large request and makes calls of the ledger of them, in a thread of their own: thousands take
 * seconds.
 */
import type { Hex32 } from '@accredit/chain'
import { ApiError, type ApiErrorOptions, type ErrorType, invalid } from '../../platform/errors.js'
import { readBody, refuseUnstorable, type UnreadBody } from '../../platform/http/input/request-body.js'
import { decidingBodyReader } from '../../platform/http/input/unknown-members.js'
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

export type BulkResult = BulkPlan | ({ type: ErrorType; message: string } & Pick<ApiErrorOptions, 'members'>)

const refuseUnknown = decidingBodyReader<unknown[]>(BulkRows)

export default function plan({ registryId, body, depthLimit, leastFee }: BulkTask): BulkResult {
  try {
    const rows = rowsIn(readBody(body, depthLimit))
    refuseUnknown(rows, (given) => problemsOf(given, leastFee))
    const entries = parseRows(rows, leastFee)
    return { entries, parts: bulkParts(registryId, entries) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { type: error.type, message: error.message, members: error.members }
  }
}

function rowsIn(value: unknown): unknown[] {
  refuseUnstorable(value)
  if (!Array.isArray(value)) throw invalid('The body must be a list of rows')
  if (value.length === 0 || value.length > ROWS_MAX)
    throw invalid(`The body must be a list of 1 to ${ROWS_MAX} rows; got ${value.length}`)
  return value
}
