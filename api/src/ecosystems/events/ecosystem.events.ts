/** The events for web hooks that follow from what the ledger says of trust registries, whoever caused it. */
export const LEDGER_TOLD = [
  'trust_registry_create',
  'trust_registry_update',
  'trust_registry_transfer_propose',
  'trust_registry_transfer',
  'trust_registry_delete',
  'trust_registry_schema_create',
  'trust_registry_schema_update',
  'trust_registry_schema_delete',
  'participant_create',
  'participant_update',
  'participant_delete',
  'participant_suspend',
  'participant_reinstate',
  'participant_deactivate',
  'delegation_create',
  'delegation_delete',
] as const

export type LedgerTold = (typeof LEDGER_TOLD)[number]

/** The events of invitations into trust registries, for the team that invited. */
const INVITATION_EVENTS = ['invitation_accept', 'invitation_decline'] as const

export const ECOSYSTEM_EVENTS = [...LEDGER_TOLD, ...INVITATION_EVENTS] as const
