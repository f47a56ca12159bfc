import type { ChainEvent, EncodedCall } from '@accredit/chain'
import type { Actor } from './actor.js'
import type { Actors } from './actors.js'

/** An action that an actor may take. The ledger may refuse it. */
export interface LedgerAction {
  readonly by: Actor
  readonly calls: readonly EncodedCall[]
  /** The call that creates the actor's DID, right before. */
  readonly creation?: EncodedCall
  /** Receives the block's events where the ledger carried out the action. */
  done?(events: readonly ChainEvent[]): void
}

/** Returns undefined where no actor could take the action, or it has no object. */
export type MakeLedgerAction = (actors: Actors) => LedgerAction | undefined
