import type { Ledger } from './ledger'
import type { Event } from './model'

/** The authority by which an event came about: the dispatch or the creation that it belongs to. */
export type EventOrigin = {
  [Field in 'actor' | 'keyId' | 'nonce' | 'submitter' | 'callHash']: Exclude<Event[Field], undefined>
}

/** The value where no DID acted: the root origin, or the runtime itself. */
export const BY_ROOT: EventOrigin = { actor: 'root', keyId: null, nonce: null, submitter: null, callHash: null }

export type Facts = Partial<
  Pick<Event, 'trustRegistryId' | 'revocationRegistryId' | 'schemaId' | 'subject' | 'before' | 'after'>
>

/** One event as its handler sees it: its place, its actor, and the rows that it may write. */
export interface EventContext {
  readonly block: number
  readonly origin: EventOrigin
  /** The public key of the account that signed the extrinsic; undefined: nobody did. */
  readonly signer: string | undefined
  readonly ledger: Ledger
  /** Makes the event's row in the audit trail; once per event. */
  record(facts: Facts): void
  /** Events have this origin from this one on, up to the end of the call that it opens. */
  begin(origin: EventOrigin): void
}
