import type { Did, Hex32 } from '@accredit/chain'
import { type ApiError, invalid } from '../../../platform/errors.js'
import { parseDay, parsePoint } from '../instant.js'

/** A choice of events of the audit trail; an event must match everything that is given. */
export interface HistoryFilter {
  trustRegistryId?: string
  revocationRegistryId?: string
  /** The DID that acted, or that the event happened to. */
  dids?: Did[]
  /** The names with their pallet: `TrustRegistry.IssuerSuspended`. An empty list matches nothing. */
  events?: readonly string[]
  schemaId?: Hex32
  from?: Bound
  to?: Bound
}

/** A block or an instant, both inclusive. */
export type Bound = { block: number } | { instant: Date }

/**
 * A full date begins at its midnight in UTC and ends with its last millisecond.
 * @throws 400 `invalid_request` that names `field`
 */
export function parseBound(text: string, field: 'from' | 'to'): Bound {
  if (/^\d{1,9}$/.test(text)) return { block: Number(text) }
  const instant = (field === 'from' ? parseDay(text) : undefined) ?? parsePoint(text)
  if (instant === undefined)
    throw invalid(`${field} must be a block number, an ISO 8601 instant with its offset, or a full date`)
  return { instant }
}

export const backwards = (): ApiError => invalid('from must not be later than to')

/**
 * Compares bounds of one kind.
 * @throws 400 `invalid_request` where nothing can lie between
 */
export function refuseBackwards({ from, to }: Pick<HistoryFilter, 'from' | 'to'>): void {
  if (from === undefined || to === undefined) return
  const isBackwards =
    'block' in from ? 'block' in to && from.block > to.block : 'instant' in to && from.instant > to.instant
  if (isBackwards) throw backwards()
}
