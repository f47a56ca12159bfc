import type { Ledger } from './ledger'
import type { Event } from './model'

/** By which authority an event came about: the dispatch or the creation that it belongs to. */
export type Act = {
  [Field in 'actor' | 'keyId' | 'nonce' | 'submitter' | 'callHash']: Exclude<Event[Field], undefined>
}

/** No DID acted: the root origin, or the runtime itself. */
export const BY_ROOT: Act = { actor: 'root', keyId: null, nonce: null, submitter: null, callHash: null }

export type Facts = Partial<
  Pick<Event, 'trustRegistryId' | 'revocationRegistryId' | 'schemaId' | 'subject' | 'before' | 'after'>
>

/** One event as its handler sees it: where, by whom, and what it may say about it. */
export interface Happening {
  readonly block: number
  readonly act: Act
  readonly ledger: Ledger
  /** Makes the event's row in the audit trail; once per event. */
  record(facts: Facts): void
  /** From this event on, up to the end of the call that it opens, events belong to this act. */
  begin(act: Act): void
}
