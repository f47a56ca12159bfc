import type { ColumnType, Generated } from 'kysely'
import type { BilledKind } from './billing.js'
import type { TeamId } from './ids.js'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** A jsonb column: read as a value, written as JSON text (see `json()`). */
export type JsonColumn<T = JsonObject> = ColumnType<T, string, string>
export type Timestamp = ColumnType<Date, Date | string, Date | string>
type GeneratedTimestamp = ColumnType<Date, Date | string | undefined, Date | string>

/** Keyed hashes of ids, by which erasure finds a row. */
export type Marks = ColumnType<Buffer[] | null, Buffer[] | null | undefined, Buffer[] | null>

/** Serialises a value for a jsonb column. */
export const json = (value: unknown): string => JSON.stringify(value)

interface TeamsTable {
  id: Generated<TeamId>
  name: string | null
  /** The team whose sub-account it is. */
  parent_id: ColumnType<TeamId | null, TeamId | null | undefined, never>
  image: Generated<string>
  /** Seconds by policy; a policy that is not in it has its default. */
  retention_policy: ColumnType<JsonObject, string | undefined, string>
  /** True where lists of its credentials tell the ids of their subjects. */
  store_subject_ref: Generated<boolean>
  /** Its keys open nothing from then on. */
  closed: ColumnType<Date | null, undefined, Date>
  /** Its plan; null: the default one. */
  plan: Generated<string | null>
  /** The limit of transactions that the parent of a sub-account sets. */
  monthly_limit: Generated<number | null>
  created: GeneratedTimestamp
}

interface UsersTable {
  id: Generated<number>
  email: string | null
  name: string
  image: Generated<string>
  created: GeneratedTimestamp
}

/** From the greatest to the smallest. */
export const ROLES = ['owner', 'administrator', 'member'] as const
export type Role = (typeof ROLES)[number]

/** Tells whether a role may do what another may. */
export const isAtLeast = (role: Role, other: Role): boolean => ROLES.indexOf(role) <= ROLES.indexOf(other)

interface TeamMembersTable {
  team_id: TeamId
  user_id: number
  role: Role
  joined: GeneratedTimestamp
}

interface ApiKeysTable {
  id: Generated<number>
  team_id: TeamId
  hash: Buffer
  public_part: string
  role: Role
  ips: string[]
  alias: string | null
  created_by: number | null
  created: GeneratedTimestamp
  expires: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** api: opens the operations of its team; sponsor: accompanies what a wallet's DID signed, and opens nothing else. */
  kind: Generated<'api' | 'sponsor'>
  revoked: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** It ends with its creator's part in the team. */
  is_temporary: Generated<boolean>
  /** A minute late at most. */
  last_used: ColumnType<Date | null, undefined, Date>
}

interface IdempotencyKeysTable {
  id: Generated<number>
  team_id: TeamId
  /** `callerName` of a principal. */
  caller: string
  key_hash: Buffer
  /** HMAC of query and body, under a key of the caller's API key. */
  request_mac: Buffer
  /** running: claimed; acted: its effects are committed, the answer is not stored; answered: can be replayed. */
  state: 'running' | 'acted' | 'answered' | 'secret'
  sealed: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  /** Keyed hashes of the ids that the answer is about (`EventSealing.markOf`). */
  marks: Marks
  attempt: Generated<number>
  leased_until: Timestamp
  created: GeneratedTimestamp
}

export type JobStatus = 'todo' | 'in_progress' | 'finalized' | 'error'

interface JobsTable {
  id: string
  team_id: TeamId
  kind: string
  subject: string | null
  data: JsonColumn
  status: Generated<JobStatus>
  result: JsonColumn
  /** The W3C traceparent of the request that began it. */
  trace: Generated<string | null>
  created: GeneratedTimestamp
  updated: GeneratedTimestamp
}

/** One item of a request with many: its row there, from 1, and its DID. */
export interface PartItem {
  row: number
  did: string
}

interface LedgerActionsTable {
  id: string
  job_id: string
  part: number
  team_id: TeamId
  did: string
  sequence: number | null
  action: JsonColumn
  /**
   * waiting: for a signature of its owner; planned: for what it changes to be still; pending: not yet with the signer;
   * accepted: with the signer; included: has a final block; done, refused: told to the job.
   */
  state: Generated<'waiting' | 'planned' | 'pending' | 'accepted' | 'included' | 'done' | 'refused'>
  outcome: ColumnType<JsonObject | null, string | null | undefined, string | null>
  block_height: Generated<number | null>
  /** The part of a request with many items that the action carries. */
  items: ColumnType<PartItem[] | null, string | null | undefined, string | null>
  block_hash: Generated<string | null>
  /** The ids of the waiting actions that it signs, or of the planned ones that it carries. */
  answers: Generated<string[] | null>
  /** The next five are for actions that wait. */
  call_hash: Generated<string | null>
  unversioned_hash: Generated<string | null>
  waits_from: Generated<number | null>
  waits_in: Generated<string | null>
  expires: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** These two are for planned actions, and stay with them. */
  planned_in: Generated<string | null>
  plan: ColumnType<JsonObject | null, string | null | undefined, string | null>
  /** The failures of what follows from its end. */
  retries: Generated<number>
  /** The time of the next try after a failure; infinity: by request alone. */
  retry_at: ColumnType<Date | number | null, Date | string | null | undefined, Date | string | null>
  created: GeneratedTimestamp
}

interface LedgerSequencesTable {
  did: string
  next: number
}

interface AuditTable {
  id: Generated<number>
  team_id: TeamId
  at: GeneratedTimestamp
  actor: string
  action: string
  subject: string | null
  detail: JsonColumn
  request_id: string | null
  /** The address that the request came from. */
  address: string | null
  before: ColumnType<JsonObject | null, string | null | undefined, never>
  after: ColumnType<JsonObject | null, string | null | undefined, never>
}

export interface NotificationsTable {
  id: Generated<number>
  team_id: TeamId
  type: string
  data: JsonColumn
  created: GeneratedTimestamp
  /** Those who read it: a person as `user:7`, the team itself as `team`. */
  read_by: Generated<string[]>
}

interface BilledTransactionsTable {
  id: Generated<number>
  team_id: TeamId
  parent_id: TeamId | null
  at: Timestamp
  kind: BilledKind
  actor: string
  request_id: string | null
}

interface BilledCountsTable {
  team_id: TeamId
  payer_id: TeamId
  day: ColumnType<string, string, never>
  kind: BilledKind
  count: number
  is_folded: Generated<boolean>
}

interface PlansTable {
  name: string
  transactions: number | null
  is_default: boolean
}

interface OnboardingTable {
  user_id: number
  data: JsonColumn
  updated: Timestamp
}

export interface OutgoingEventsTable {
  id: Generated<number>
  team_id: TeamId
  event: string
  /** The JSON text of its data (see `EventSealing`). */
  sealed: Buffer
  /** A keyed hash of the id of the thing that it is about. */
  resource: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  webhook_id: ColumnType<string | null, string | null | undefined, string | null>
  /** Keyed hashes of the ids that it is about. */
  marks: Marks
  created: GeneratedTimestamp
  /** The W3C traceparent of what it follows from. */
  trace: Generated<string | null>
}

interface ServiceKeyTable {
  only_one: Generated<boolean>
  fingerprint: Buffer
}

interface FollowerCursorTable {
  id: string
  block: number
  event_index: number
}

/**
 * The tables of schema `service`. A capability adds its own by augmentation, beside its store:
 * `declare module '../platform/database/tables.js' { interface ServiceTables { profiles: ProfilesTable } }`
 */
export interface ServiceTables {
  teams: TeamsTable
  users: UsersTable
  team_members: TeamMembersTable
  api_keys: ApiKeysTable
  idempotency_keys: IdempotencyKeysTable
  jobs: JobsTable
  ledger_actions: LedgerActionsTable
  ledger_sequences: LedgerSequencesTable
  audit: AuditTable
  outgoing_events: OutgoingEventsTable
  follower_cursor: FollowerCursorTable
  service_key: ServiceKeyTable
  notifications: NotificationsTable
  billed_transactions: BilledTransactionsTable
  billed_counts: BilledCountsTable
  plans: PlansTable
  onboarding: OnboardingTable
}
