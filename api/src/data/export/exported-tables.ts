import '../data.tables.js'
import type { ServiceTables } from '../../platform/database/tables.js'

/** The rows of a team in a table, as its export has them. */
export interface Exported<Column extends string = string> {
  /** The columns that it leaves out: secrets, their hashes, and what only this service can use. */
  without?: readonly Column[]
  /** The column with what is sealed; it is opened where the owner may read it (`SealedContents`). */
  sealed?: Column
  /** Further columns, as SQL over the row `t`. */
  also?: Readonly<Record<string, string>>
  /** The rows, where they are others than those with the team's number in `team_id`: SQL over `t`, with `$1` the team. */
  where?: string
}

/** No team reads the rows of the table, also not those that name it. */
export interface Hidden {
  hidden: string
}

type Entry<Table extends keyof ServiceTables> = Exported<keyof ServiceTables[Table] & string> | Hidden

type Owned = keyof {
  [Table in keyof ServiceTables as 'team_id' extends keyof ServiceTables[Table] ? Table : never]: true
}

/**
 * Every table with rows of teams. A new one does not compile before it stands here, and a test compares this with the
 * database: what a team owns is in its export.
 */
export const EXPORTED: { [Table in Owned | 'teams' | 'users']: Entry<Table> } = {
  teams: { where: 't.id = $1 or t.parent_id = $1' },
  users: { where: 't.id in (select m.user_id from service.team_members m where m.team_id = $1)' },
  team_members: {},
  team_invitations: { without: ['hash'] },
  sessions: { without: ['hash'] },
  api_keys: { without: ['hash'] },
  audit: {},
  notifications: {},
  billed_transactions: { where: 't.team_id = $1 or t.parent_id = $1' },
  billed_counts: { where: 't.team_id = $1 or t.payer_id = $1' },
  idempotency_keys: { without: ['key_hash', 'request_mac', 'sealed', 'marks'] },
  outgoing_events: { sealed: 'sealed', without: ['resource', 'marks'] },
  webhooks: { without: ['sealed'] },
  webhook_deliveries: { without: ['resource'] },
  outgoing_mails: { hidden: 'whoever read a mail could sign in with it' },
  swept_rows: {},
  erasures: { without: ['marks'] },
  deletions: { hidden: 'a team that has one asks for nothing any more' },
  jobs: {},
  ledger_actions: {},
  dids: {},
  did_keys: { without: ['key_ref'] },
  did_proofs: {},
  mac_keys: { without: ['key_ref'] },
  profiles: {},
  logo_copies: {},
  schemas: {},
  remote_documents: { without: ['digest'] },
  prepared_actions: {},
  revocation_registries: {},
  status_entries: {},
  delegatable_registries: {},
  credentials: { without: ['sealed', 'marks'], also: { persisted: 't.sealed is not null' } },
  credential_batches: { without: ['seal'] },
  credential_batch_rows: {
    sealed: 'sealed',
    without: ['marks'],
    also: { seal: '(select b.seal from service.credential_batches b where b.job_id = t.job_id)' },
  },
  credential_mails: { sealed: 'sealed', without: ['marks'] },
  trust_registries: {},
  trust_registry_versions: {},
  registry_slugs: {},
  participants: {},
  participant_names: {},
  suspension_reasons: {},
  invitation_uses: {},
  participant_invitations: {},
  expiry_notices: {},
  verifier_prices: {},
}
