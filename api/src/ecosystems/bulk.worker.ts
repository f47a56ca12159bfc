/** The rows of a large request are read and made into calls of the ledger here, in a thread of their own: thousands take seconds. */
import type { Hex32 } from '@accredit/chain'
import { ApiError, type ErrorType } from '../platform/errors.js'
import { type BulkPart, bulkParts } from './bulk-calls.js'
import { type BulkEntry, parseRows } from './bulk-rows.js'

export interface BulkTask {
  registryId: Hex32
  rows: readonly unknown[]
  /** The least fee of a paid verification. */
  leastFee: number
}

export interface BulkPlan {
  entries: BulkEntry[]
  parts: BulkPart[]
}

export type BulkResult = BulkPlan | { type: ErrorType; message: string }

export default function plan({ registryId, rows, leastFee }: BulkTask): BulkResult {
  try {
    const entries = parseRows(rows, leastFee)
    return { entries, parts: bulkParts(registryId, entries) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { type: error.type, message: error.message }
  }
}
