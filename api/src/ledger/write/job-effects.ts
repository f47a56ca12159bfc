import type { Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { JsonObject } from '../../platform/database/tables.js'
import type { ActionOutcome } from './signer-door.js'

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
  parts: FinishedPart[]
  /** The last block that one of its parts stands in; undefined when none does. */
  block: { height: number; time: Date } | undefined
}

export interface FailedJob extends FinishedJob {
  error: { type: string; message: string }
}

/**
 * The effect of the end of a kind of job on service rows, in the follower's transaction (system scope). Many jobs at
 * once: one statement for all of them (`where did = any(…)`), never one per job. May run twice.
 */
export interface JobEffect {
  /** Some parts have come to their end, and others have not. Parts that failed are left to the end of the job. */
  advanced?(tx: Tx, jobs: readonly string[]): Promise<void>
  /**
   * Of jobs that failed those that go on: what is left to do was stored as further parts. The others are handed to
   * `failed`.
   */
  goOn?(tx: Tx, jobs: readonly FailedJob[]): Promise<ReadonlySet<string>>
  finalized(tx: Tx, jobs: readonly FinishedJob[]): Promise<void>
  failed(tx: Tx, jobs: readonly FailedJob[]): Promise<void>
}

/** `{ 'did.create': { finalized, failed } }` */
export type JobEffects = Record<string, JobEffect>
