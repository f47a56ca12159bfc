/** Reads the outcomes of a batch's items from the events of an extrinsic. Pure. */
import { type ChainEvent, didSvc, isEvent } from '@accredit/chain'
import type { Action, PalletError } from '../wire.js'

/** The events that the functions below look at: of a block that lists thousands a few. */
export const JUDGED_EVENTS: ReadonlySet<string> = new Set([
  'System.ExtrinsicFailed',
  'Utility.ItemCompleted',
  'Utility.ItemFailed',
  'Did.Created',
  'Did.Dispatched',
])

export type ItemOutcome = { error: PalletError | undefined }

/** A call that took effect, in any extrinsic: enough to recognise one's own work. */
export interface Effect {
  extrinsic: number
  /** Position in the extrinsic's batch. */
  item: number
  did: string
  /** Undefined for a creation. */
  action: { nonce: number; callHash: string } | undefined
}

/** One outcome per item in order, or the error that ended the whole extrinsic before any took effect. */
export function itemOutcomes(events: readonly ChainEvent[], extrinsic: number): ItemOutcome[] | PalletError {
  const outcomes: ItemOutcome[] = []
  for (const event of events.filter((candidate) => candidate.extrinsic === extrinsic)) {
    if (is(event, 'System', 'ExtrinsicFailed')) return errorOf(event)
    if (is(event, 'Utility', 'ItemCompleted')) outcomes.push({ error: undefined })
    if (is(event, 'Utility', 'ItemFailed')) outcomes.push({ error: errorOf(event) })
  }
  return outcomes
}

/**
 * Returns the creations and actions that `submitter` brought. Events of a failed item are rolled back and never seen.
 */
export function effectsOf(events: readonly ChainEvent[], submitter: string): Effect[] {
  const effects: Effect[] = []
  const itemsBefore = new Map<number, number>()
  for (const event of events) {
    if (event.extrinsic === undefined) continue
    const item = itemsBefore.get(event.extrinsic) ?? 0
    if (is(event, 'Utility', 'ItemCompleted') || is(event, 'Utility', 'ItemFailed')) {
      itemsBefore.set(event.extrinsic, item + 1)
    }
    const effect = event.data.submitter === submitter ? effectOf(event) : undefined
    if (effect !== undefined) effects.push({ extrinsic: event.extrinsic, item, ...effect })
  }
  return effects
}

function effectOf(event: ChainEvent): Pick<Effect, 'did' | 'action'> | undefined {
  if (isEvent(event, 'Did.Created')) return { did: didSvc(event.data.did), action: undefined }
  if (!isEvent(event, 'Did.Dispatched')) return undefined
  const { did, nonce, callHash } = event.data
  return { did, action: { nonce, callHash } }
}

function is(event: ChainEvent, pallet: string, name: string): boolean {
  return event.pallet === pallet && event.name === name
}

function errorOf(event: ChainEvent): PalletError {
  return event.error ?? { pallet: event.pallet, name: event.name, docs: '' }
}

export type Verdict = 'final' | 'refused' | 'again'

/**
 * The errors of an action that was signed for another nonce or another time than the ledger's; a new signature mends
 * it.
 */
const untimely = new Set(['BadNonce', 'Expired', 'ValidTooLong'])

/** Judges an action by its item's error. `isStale`: it was signed for another transaction version. */
export function verdictOf(kind: Action['kind'], error: PalletError, isStale: boolean): Verdict {
  // Only its owner can sign an authorised action afresh.
  if (error.pallet !== 'Did' || kind === 'authorised') return 'refused'
  // An id follows from key and salt, and only its one creation was ever signed: a DID that exists is the one we made.
  if (kind === 'create' && error.name === 'AlreadyExists') return 'final'
  if (kind === 'dispatch' && untimely.has(error.name)) return 'again'
  return error.name === 'BadSignature' && isStale ? 'again' : 'refused'
}
