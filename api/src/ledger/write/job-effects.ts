import type { Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { JsonObject } from '../../platform/database/tables.js'
import type { Environment } from '../../platform/http/context.js'
import type { GivenUp } from './pending-actions.js'
import type { ActionOutcome, LedgerAction } from './signer-door.js'

interface FinishedPart {
  did: string
  part: number
  outcome: ActionOutcome
}

export interface FinishedJob {
  id: string
  team: TeamId
  kind: string
  subject: string | null
  data: JsonObject
  /** The W3C traceparent of the request that began it. */
  trace: string | null
  parts: FinishedPart[]
  /** The last block with one of its parts; undefined when no block has one. */
  block: { height: number; time: Date } | undefined
}

export interface FailedJob extends FinishedJob {
  error: { type: string; message: string }
}

/** An action whose calls are made of what is there when they can be sent. */
export interface PlannedAction {
  /** The DID that acts. */
  did: string
  team: TeamId
  plan: JsonObject
}

/** The action that carries planned ones: so many of them, from the first. */
export interface CarryingAction {
  action: LedgerAction
  carries: number
}

/** So many planned actions, from the first, that would change nothing: they are done. */
export interface NothingToDo {
  isDone: true
  carries: number
}

/**
 * The effect of the end of a kind of job on service rows, in the follower's transaction (system scope). It gets many
 * jobs at once, and takes one statement for all of them (`where did = any(…)`), never one per job. It may run twice.
 */
export interface JobEffect {
  /** Runs when some parts have ended, and others have not. Failed parts are left to the end of the job. */
  advanced?(tx: Tx, jobs: readonly string[]): Promise<void>
  /**
   * Returns the failed jobs that go on: the rest of their work was stored as further parts. The others are handed to
   * `failed`.
   */
  goOn?(tx: Tx, jobs: readonly FailedJob[]): Promise<ReadonlySet<string>>
  /**
   * Makes the action that carries planned ones of the same subject, the oldest first, or as many as it can. Nothing of
   * that subject is on its way. Runs outside any transaction, and may run twice.
   * @returns the reason where the oldest can no longer be done
   */
  plan?(environment: Environment, planned: readonly PlannedAction[]): Promise<CarryingAction | NothingToDo | GivenUp>
  /**
   * Makes, for a dry run, the action of each planned one of the same subject, as it would be after those before it.
   * Every kind with `plan` has it.
   */
  foretell?(
    environment: Environment,
    planned: readonly PlannedAction[],
  ): Promise<(CarryingAction | NothingToDo | GivenUp)[]>
  finalized(tx: Tx, jobs: readonly FinishedJob[]): Promise<void>
  failed(tx: Tx, jobs: readonly FailedJob[]): Promise<void>
}

/** `{ 'did.create': { finalized, failed } }` */
export type JobEffects = Record<string, JobEffect>
