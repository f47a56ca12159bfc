import type { ServiceTables } from './tables.js'

/** The four policies that a team sets. */
type Policy = 'verificationData' | 'verificationRequests' | 'credentialOffers' | 'credentials'

/** The end of a row. */
type Retention<Column extends string> =
  /** The team's deletion takes it. */
  | { until: 'team' }
  /** The person's deletion takes it. */
  | { until: 'person' }
  /** The team's policy for its kind, and the team's deletion. */
  | { until: 'policy'; policy: Policy }
  /** The time in a column; a sweep deletes it soon after. */
  | { until: 'expiry'; column: Column }
  /** An age, from the time in a column; a sweep deletes it soon after. */
  | { until: 'age'; column: Column; days: number }
  /** Nothing: it is public, or others rely on it. A team's deletion blanks the texts of its people. */
  | { until: 'always'; because: string }

interface KeptData<Column extends string = string> {
  retention: Retention<Column>
  /** The columns that may hold personal data, sealed ones too: deletion and erasure look here. */
  personal: readonly Column[]
}

type Declared = { [Table in keyof ServiceTables]: KeptData<keyof ServiceTables[Table] & string> } & {
  /** Functions of the database alone write and read these. */
  [table in 'display_names' | 'names_due']: KeptData
}

const TEAM = { until: 'team' } as const
const PUBLIC = { until: 'always', because: 'the history of an ecosystem is public' } as const
const OWN_STATE = { until: 'always', because: 'the service’s own state' } as const

/**
 * Every table of the service: how long its rows stay, and where they may hold personal data. A new table does not
 * compile, and fails a test, before it is declared here.
 */
export const KEPT_DATA: Declared = {
  teams: { retention: TEAM, personal: ['name', 'image'] },
  users: { retention: { until: 'person' }, personal: ['email', 'name', 'image'] },
  team_members: { retention: TEAM, personal: ['user_id'] },
  api_keys: { retention: TEAM, personal: ['alias', 'ips', 'created_by'] },
  sessions: { retention: { until: 'expiry', column: 'expires' }, personal: ['user_id'] },
  sign_in_links: { retention: { until: 'expiry', column: 'expires' }, personal: ['email'] },
  team_invitations: { retention: { until: 'age', column: 'expires', days: 30 }, personal: ['email', 'invited_by'] },
  outgoing_mails: { retention: { until: 'expiry', column: 'expires' }, personal: ['sealed'] },
  audit: { retention: TEAM, personal: ['actor', 'address', 'subject', 'before', 'after', 'detail'] },
  idempotency_keys: { retention: { until: 'age', column: 'created', days: 1 }, personal: ['sealed'] },
  outgoing_events: { retention: { until: 'age', column: 'created', days: 7 }, personal: ['sealed'] },
  webhooks: { retention: TEAM, personal: ['url', 'description', 'sealed'] },
  webhook_deliveries: { retention: { until: 'age', column: 'created', days: 7 }, personal: [] },
  jobs: { retention: { until: 'age', column: 'created', days: 30 }, personal: ['subject', 'data', 'result'] },
  ledger_actions: { retention: { until: 'age', column: 'created', days: 30 }, personal: [] },
  ledger_sequences: { retention: OWN_STATE, personal: [] },
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
    retention: { until: 'policy', policy: 'credentials' },
    personal: ['id', 'subject_ref', 'issuer_name', 'sealed'],
  },
  credential_batches: { retention: { until: 'age', column: 'created', days: 30 }, personal: ['actor', 'principal'] },
  credential_batch_rows: {
    retention: { until: 'always', because: 'it goes a day after its batch ended' },
    personal: ['sealed'],
  },
  credential_mails: { retention: { until: 'age', column: 'created', days: 1 }, personal: ['sealed'] },
  trust_registries: { retention: PUBLIC, personal: [] },
  trust_registry_versions: { retention: PUBLIC, personal: ['name', 'description'] },
  registry_slugs: { retention: PUBLIC, personal: [] },
  participants: { retention: PUBLIC, personal: ['name', 'description', 'logo_url', 'info_url'] },
  participant_names: { retention: PUBLIC, personal: ['name', 'logo_url'] },
  display_names: { retention: PUBLIC, personal: ['name'] },
  names_due: { retention: OWN_STATE, personal: [] },
  suspension_reasons: { retention: PUBLIC, personal: ['reason'] },
  invitation_uses: { retention: TEAM, personal: [] },
  schema_uris: { retention: PUBLIC, personal: [] },
  verifier_prices: { retention: PUBLIC, personal: [] },
}
