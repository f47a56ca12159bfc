import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { TeamId } from '../platform/database/ids.js'
import type { Timestamp } from '../platform/database/tables.js'

/** pending: its action is on its way; failed: the ledger refused it, hidden for ever. */
type EcosystemState = 'pending' | 'active' | 'failed'
type NullableTimestamp = ColumnType<Date | null, Date | null | undefined, Date | null>

interface TrustRegistriesTable {
  registry_id: string
  /** The team that created it. The owner is the team that holds the present convener. */
  team_id: TeamId
  convener: string
  state: EcosystemState
  job_id: string
  created: Timestamp
}

interface TrustRegistryVersionsTable {
  registry_id: string
  version: number
  team_id: TeamId
  name: string
  slug: string
  description: string
  logo_url: string
  ecosystem_url: string
  governance_framework: string
  governance_framework_version: string
  governance_reference: string
  state: EcosystemState
  job_id: string | null
  from_time: NullableTimestamp
}

interface RegistrySlugsTable {
  slug: string
  registry_id: string
  team_id: TeamId
}

interface ParticipantsTable {
  row_id: Generated<number>
  id: GeneratedAlways<string>
  registry_id: string
  did: string
  team_id: TeamId
  name: string
  description: string
  logo_url: string
  info_url: string
  suspended_since: NullableTimestamp
  created: Timestamp
  state: EcosystemState
  job_id: string | null
  from_time: NullableTimestamp
  to_time: NullableTimestamp
}

interface SuspensionReasonsTable {
  row_id: Generated<number>
  registry_id: string
  did: string
  /** The team that changed the status: the convener's. */
  team_id: TeamId
  reason: string | null
  state: EcosystemState
  job_id: string | null
  from_time: NullableTimestamp
}

interface ParticipantNamesTable {
  row_id: Generated<number>
  registry_id: string
  did: string
  /** The team that gave the name: the convener's. */
  team_id: TeamId
  name: string
  logo_url: string
  state: 'pending' | 'active'
  job_id: string
  part: number
  from_time: NullableTimestamp
}

interface InvitationUsesTable {
  nonce: string
  registry_id: string
  team_id: TeamId
  use: 'accepted' | 'declined'
  job_id: string | null
  created: Timestamp
}

interface ParticipantInvitationsTable {
  /** The nonce of the token. */
  id: string
  team_id: TeamId
  registry_id: string
  created: Timestamp
  expires: Timestamp
}

interface SchemaUrisTable {
  hash: string
  uri: string
}

interface VerifierPricesTable {
  row_id: Generated<number>
  registry_id: string
  schema_id: string
  issuer: string
  verifier: string
  currency: string
  digits: string
  team_id: TeamId
  from_time: Timestamp
  to_time: NullableTimestamp
}

declare module '../platform/database/tables.js' {
  interface ServiceTables {
    trust_registries: TrustRegistriesTable
    trust_registry_versions: TrustRegistryVersionsTable
    registry_slugs: RegistrySlugsTable
    participants: ParticipantsTable
    participant_names: ParticipantNamesTable
    suspension_reasons: SuspensionReasonsTable
    invitation_uses: InvitationUsesTable
    participant_invitations: ParticipantInvitationsTable
    schema_uris: SchemaUrisTable
    verifier_prices: VerifierPricesTable
  }
}
