import type { ServiceTables } from './tables.js'

/** The four policies that a team sets. */
export const POLICIES = ['verificationData', 'verificationRequests', 'credentialOffers', 'credentials'] as const
export type Policy = (typeof POLICIES)[number]

/** Rows that stay although their time is over. */
type Staying<Column extends string> =
  /** Rows with one of these values. */
  | { column: Column; values: readonly string[] }
  /** Rows in which the column is set. */
  | { column: Column; values: 'any' }

/** The end of a row. */
export type Retention<Column extends string = string> =
  /** The team's deletion takes it. */
  | { until: 'team' }
  /** The person's deletion takes it. */
  | { until: 'person' }
  /** The team's policy for its kind, counted from the time in a column, and the team's deletion. */
  | { until: 'policy'; policy: Policy; column: Column; stays?: Staying<Column> }
  /** The time in a column; a sweep deletes it soon after. */
  | { until: 'expiry'; column: Column }
  /** An age, from the time in a column; a sweep deletes it soon after. */
  | { until: 'age'; column: Column; days: number; stays?: Staying<Column> }
  /** An age, from the time in a column of the row that its own column names. */
  | { until: 'ageOf'; table: string; by: Column; column: string; days: number }
  /** The end of the row that its column names: the database deletes both at once. */
  | { until: 'parent'; table: string; column: Column }
  /** Nothing: it is public, or others rely on it. A team's deletion blanks the texts of its people. */
  | { until: 'always'; because: string }

/** The way in which the erasure of a person, by credential or subject, finds rows. */
type Erasure<Column extends string> =
  /** By column `marks`: keyed hashes of the ids that the row is about. */
  | { by: 'marks' }
  /** By a column with the id of a credential in plain text. */
  | { by: 'text'; column: Column }

interface KeptData<Column extends string = string> {
  retention: Retention<Column>
  /** The columns that may hold personal data, sealed ones too: deletion and erasure look here. */
  personal: readonly Column[]
  /** Absent where no row is about the subject of a credential. */
  erasure?: Erasure<Column>
  /** True where rows tell of a team that it was deleted. */
  outlivesTeam?: true
}

type Declared = { [Table in keyof ServiceTables]: KeptData<keyof ServiceTables[Table] & string> } & {
  /** Functions of the database alone write and read these. */
  [table in 'display_names' | 'names_due']: KeptData
}

const TEAM = { until: 'team' } as const
const PUBLIC = { until: 'always', because: 'the history of an ecosystem is public' } as const
const OWN_STATE = { until: 'always', because: 'the service’s own state' } as const
const MARKS = { by: 'marks' } as const

/**
 * Every table of the service: how long its rows stay, and where they may hold personal data. A new table does not
 * compile, and fails a test, before it is declared here. Retention, deletion and erasure (`data/`) work from this alone.
 */
export const KEPT_DATA: Declared = {
  teams: { retention: TEAM, personal: ['name', 'image'] },
  users: { retention: { until: 'person' }, personal: ['email', 'name', 'image'] },
  team_members: { retention: TEAM, personal: ['user_id'] },
  api_keys: { retention: TEAM, personal: ['alias', 'ips', 'created_by'] },
  sessions: { retention: { until: 'expiry', column: 'expires' }, personal: ['user_id'] },
  sign_in_links: { retention: { until: 'expiry', column: 'expires' }, personal: ['email'] },
  team_invitations: { retention: { until: 'age', column: 'expires', days: 30 }, personal: ['email', 'invited_by'] },
  outgoing_mails: { retention: { until: 'expiry', column: 'expires' }, personal: ['sealed', 'recipient'] },
  audit: {
    retention: TEAM,
    personal: ['actor', 'address', 'subject', 'before', 'after', 'detail'],
    erasure: { by: 'text', column: 'subject' },
  },
  idempotency_keys: {
    retention: { until: 'age', column: 'created', days: 1 },
    personal: ['sealed', 'marks'],
    erasure: MARKS,
  },
  outgoing_events: {
    retention: { until: 'age', column: 'created', days: 7 },
    personal: ['sealed', 'marks'],
    erasure: MARKS,
  },
  webhooks: { retention: TEAM, personal: ['url', 'description', 'sealed'] },
  webhook_deliveries: { retention: { until: 'age', column: 'created', days: 7 }, personal: [] },
  notifications: { retention: { until: 'age', column: 'created', days: 90 }, personal: ['data', 'read_by'] },
  onboarding: { retention: { until: 'person' }, personal: ['user_id', 'data'] },
  plans: { retention: OWN_STATE, personal: [] },
  billed_transactions: { retention: TEAM, personal: ['actor'] },
  billed_counts: {
    retention: { until: 'always', because: 'bills rest on it, which hold numbers alone' },
    personal: [],
  },
  jobs: {
    retention: {
      until: 'age',
      column: 'created',
      days: 30,
      stays: { column: 'status', values: ['todo', 'in_progress'] },
    },
    personal: ['subject', 'data', 'result'],
    erasure: { by: 'text', column: 'subject' },
  },
  ledger_actions: { retention: { until: 'parent', table: 'jobs', column: 'job_id' }, personal: [] },
  ledger_sequences: { retention: OWN_STATE, personal: [] },
  health_checks: { retention: OWN_STATE, personal: [] },
  incidents: { retention: { until: 'age', column: 'began', days: 90 }, personal: [] },
  follower_cursor: { retention: OWN_STATE, personal: [] },
  service_key: { retention: OWN_STATE, personal: [] },
  dids: { retention: TEAM, personal: [] },
  did_keys: { retention: TEAM, personal: [] },
  did_proofs: { retention: TEAM, personal: [] },
  mac_keys: { retention: TEAM, personal: [] },
  profiles: { retention: PUBLIC, personal: ['name', 'description', 'logo_url'] },
  logos: {
    retention: { until: 'always', because: 'it goes a day after the last row that shows it' },
    personal: ['bytes'],
  },
  logo_copies: { retention: TEAM, personal: [] },
  schemas: { retention: { until: 'always', because: 'credentials of others name it' }, personal: ['owner_name'] },
  remote_documents: { retention: TEAM, personal: [] },
  prepared_actions: { retention: TEAM, personal: [] },
  revocation_registries: { retention: { until: 'always', because: 'verifiers ask for it' }, personal: [] },
  status_entries: { retention: { until: 'always', because: 'a revoked credential stays revoked' }, personal: [] },
  status_lists: { retention: { until: 'always', because: 'verifiers fetch it' }, personal: [] },
  delegatable_registries: { retention: { until: 'always', because: 'verifiers ask for it' }, personal: ['owner'] },
  wallet_tokens: { retention: { until: 'expiry', column: 'expires' }, personal: [] },
  credentials: {
    // A persisted one stays until its owner deletes it.
    retention: {
      until: 'policy',
      policy: 'credentials',
      column: 'created',
      stays: { column: 'sealed', values: 'any' },
    },
    personal: ['id', 'subject_ref', 'issuer_name', 'sealed', 'marks'],
    erasure: MARKS,
  },
  credential_batches: {
    retention: { until: 'parent', table: 'jobs', column: 'job_id' },
    personal: ['actor', 'principal'],
  },
  credential_batch_rows: {
    retention: { until: 'ageOf', table: 'credential_batches', by: 'job_id', column: 'ended', days: 1 },
    personal: ['sealed', 'marks'],
    erasure: MARKS,
  },
  // One that was given up may be sent again for so long.
  credential_mails: {
    retention: { until: 'age', column: 'created', days: 7 },
    personal: ['sealed', 'marks'],
    erasure: MARKS,
  },
  trust_registries: { retention: PUBLIC, personal: [] },
  trust_registry_versions: { retention: PUBLIC, personal: ['name', 'description', 'logo_url', 'ecosystem_url'] },
  registry_slugs: { retention: PUBLIC, personal: [] },
  participants: { retention: PUBLIC, personal: ['name', 'description', 'logo_url', 'info_url'] },
  participant_names: { retention: PUBLIC, personal: ['name', 'logo_url'] },
  display_names: { retention: PUBLIC, personal: ['name'] },
  names_due: { retention: OWN_STATE, personal: [] },
  suspension_reasons: { retention: PUBLIC, personal: ['reason'] },
  invitation_uses: { retention: TEAM, personal: [] },
  participant_invitations: { retention: { until: 'expiry', column: 'expires' }, personal: [] },
  expiry_notices: { retention: { until: 'expiry', column: 'expires' }, personal: [] },
  schema_uris: { retention: PUBLIC, personal: [] },
  verifier_prices: { retention: PUBLIC, personal: [] },
  swept_rows: { retention: { until: 'age', column: 'day', days: 365 }, personal: [] },
  deletions: {
    retention: { until: 'always', because: 'a copy of the database from before learns by it what to delete again' },
    personal: [],
    outlivesTeam: true,
  },
  erasures: { retention: TEAM, personal: ['marks'] },
}
