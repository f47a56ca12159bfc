import type { ChainEvent, EncodedCall } from '@accredit/chain'
import type { Actor } from './actor.js'
import type { Actors } from './actors.js'

/** An action that an actor is about to take. The ledger may refuse it. */
export interface LedgerAction {
  readonly by: Actor
  readonly calls: readonly EncodedCall[]
  /** The call that creates the actor's DID, right before. */
  readonly creation?: EncodedCall
  /** Hears of the block's events where the ledger did it. */
  done?(events: readonly ChainEvent[]): void
}

/** Answers undefined where no actor could do it, or there is nothing to do it to. */
export type MakeLedgerAction = (actors: Actors) => LedgerAction | undefined
