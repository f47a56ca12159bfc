import type { ChainEvent, EncodedCall } from '@accredit/chain'
import type { Person } from './actor.js'
import type { Society } from './actors.js'

/** What somebody is about to do, in one action. It may be refused. */
export interface Act {
  readonly by: Person
  readonly calls: readonly EncodedCall[]
  /** What creates whoever acts, right before. */
  readonly birth?: EncodedCall
  /** What follows from it beside what the ledger tells, once it is done. */
  done?(events: readonly ChainEvent[]): void
}

/** Undefined: there is nobody who could, or nothing that it could be done to. */
export type MakeAct = (society: Society) => Act | undefined
