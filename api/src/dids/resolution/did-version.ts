import { parseSentInstant } from '../../ledger/read/instant.js'
import { invalid } from '../../platform/http/errors.js'

const LAST_OF_SECOND_MS = 999

/**
 * Returns the instant of a `versionTime` (DID Resolution 1.0, section 3). A time without a fraction means all of its
 * second: our metadata tell whole seconds, as the standard requires, and a reader must find what they tell.
 */
export function versionInstant(text: string): Date | undefined {
  const instant = parseSentInstant(text.trim())
  if (instant === undefined || /[.,]\d/.test(text)) return instant
  return new Date(instant.getTime() + LAST_OF_SECOND_MS)
}

interface Wanted {
  at?: string
  versionTime?: string
  versionId?: string
}

/** Returns the point that a query asks for, in the form of `at`; undefined: now. */
export function wantedPoint({ at, versionTime, versionId }: Wanted): string | undefined {
  const given = [at, versionTime, versionId].filter((one) => one !== undefined)
  if (given.length > 1) throw invalid('Give one of at, versionTime and versionId')
  if (versionTime !== undefined) {
    const instant = versionInstant(versionTime)
    if (instant === undefined) throw invalid('versionTime must be an ISO 8601 instant with its offset')
    return instant.toISOString()
  }
  if (versionId !== undefined && !/^\d{1,10}$/.test(versionId)) throw invalid('versionId must be a block number')
  return at ?? versionId
}
