import type { TeamId } from './ids.js'

/** The transactions of a plan: each is counted once, in the database transaction of the thing itself. */
export const BILLED_KINDS = ['credential', 'verification', 'ledgerAction'] as const
export type BilledKind = (typeof BILLED_KINDS)[number]

/** Something that a plan counts; `reserve` are ledger actions put on their way, which count when they are final. */
export interface Billed {
  team: TeamId
  kind: BilledKind | 'reserve'
  actor: string
  request: string | null
}

/** The SQLSTATE of a plan that has no place left. */
export const NO_PLACE = 'AC402'
