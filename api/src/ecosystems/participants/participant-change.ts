import type { Hex32 } from '@accredit/chain'
import { rightsCalls, suspensionCall } from '../registry-calls.js'
import { hasRights, planRights, planSuspension, type Rights, rightsAfter, type WantedRights } from '../rights.js'
import type { ParticipantRow } from './participant.queries.js'

export interface WantedChange extends WantedRights {
  readonly suspended?: boolean | undefined
}

export interface ParticipantChange {
  /** One dispatch of the convener: all of it happens, or nothing. */
  readonly calls: Uint8Array[]
  readonly rights: Rights
  readonly suspended: boolean
  /** The start of a suspension that the service remembers while the ledger has nothing to suspend. */
  readonly suspendedSince: Date | null
}

export const rightsOf = (row: ParticipantRow): Rights => ({ issuer: row.issuer_ids, verifier: row.verifier_ids })

/** True for a suspension here, where the ledger has nothing to suspend. */
const isRemembered = (row: ParticipantRow): boolean =>
  row.suspended_at === null && !hasRights(rightsOf(row)) && row.suspended_since !== null

export const isSuspended = (row: ParticipantRow): boolean => row.suspended_at !== null || isRemembered(row)

/**
 * Plans the calls of a change of a participant, where `row` is the participant after all pending changes, and `present`
 * the participant now. A suspension is written before rights are taken and after the first ones are given, since the
 * ledger suspends a DID in a role that it has; a DID without any is remembered as suspended until it has one.
 */
export function planChange(
  registryId: Hex32,
  row: ParticipantRow,
  wanted: WantedChange,
  { now, present: shown }: { now: Date; present: ParticipantRow },
): ParticipantChange {
  const present = rightsOf(row)
  const rights = rightsAfter(present, wanted)
  const onLedger = row.suspended_at !== null
  const remembered = isRemembered(row)
  const suspended = wanted.suspended ?? isSuspended(row)

  const changes = planRights(present, wanted)
  // A pending change is asked for again, so that there is a job to wait for.
  const planned = changes.length > 0 ? changes : planRights(rightsOf(shown), wanted)
  const giveAndTake = rightsCalls(registryId, row.did, planned)
  const first = hasRights(present) || !suspended
  const flag = suspended === onLedger ? undefined : planSuspension(suspended, first ? present : rights)
  const suspension = flag ? [suspensionCall(registryId, row.did, flag)] : []

  const suspendedSince = (): Date | null => {
    if (!suspended || onLedger) return null
    return remembered ? row.suspended_since : flag ? null : now
  }
  return {
    calls: first ? [...suspension, ...giveAndTake] : [...giveAndTake, ...suspension],
    rights,
    suspended,
    suspendedSince: suspendedSince(),
  }
}
