import { type TSchema, Type } from 'typebox'

/** An event that web hooks can ask for. */
export interface WebhookEvent {
  summary: string
  data: TSchema
  /** The members of its data that hold personal data, and are left out for web hooks that want none. */
  personal?: readonly string[]
  /** False for a name that is accepted, and that nothing sends yet. */
  isFired: boolean
}

const text = (description: string) => Type.String({ description })
const did = (description: string) =>
  Type.String({ description, examples: ['did:svc:ChAQTHAtVkWAprLiZheu8YPT12L61qnbQD5n7Qt6wLQS'] })
const instant = (description: string) => Type.String({ format: 'date-time', description })

const TRANSACTION = {
  status: Type.Enum(['finalized', 'error'], { description: 'Whether the ledger took it' }),
  encodedTx: text('The call, encoded as the ledger has it; 0x where there was none'),
  result: Type.Unknown({ description: '{ InBlock: hash of its block }, or the error of the ledger' }),
}
const Transaction = Type.Object(TRANSACTION)
const DidTransaction = Type.Object({
  ...TRANSACTION,
  userData: Type.Union([Type.String(), Type.Null()], { description: 'The DID' }),
})

const Issued = Type.Object({
  id: text('The id of the credential'),
  signingOps: Type.Integer({ description: 'The number of signatures that were made' }),
  byteSize: Type.Integer({ description: 'The size of the credential in bytes' }),
  key: text('The key that signed it, as <did>#<key>'),
  credential: Type.Optional(
    Type.Unknown({ description: 'The credential itself; left out where includePersonalData is false' }),
  ),
})

/** The members of every event that follows from what the ledger says. */
const AT = {
  actor: text('The DID that did it; root where none did'),
  block: Type.Integer({ description: 'The block that has it' }),
  time: instant('The time of that block'),
}
const registryId = text('The id of the trust registry')
const REGISTRY = {
  id: registryId,
  convener: did('The DID of its convener after the change'),
  name: text('Its name on the ledger'),
}
const Registry = Type.Object({ ...REGISTRY, ...AT })
const SCHEMA = { registryId, schemaId: text('The id of the schema on the ledger: the hash of its URI') }
const PARTICIPANT = { registryId, did: did('The DID of the participant') }
const schemaIds = (what: string) => Type.Array(Type.String(), { description: what })
const Participant = Type.Object({
  ...PARTICIPANT,
  issuerSchemas: schemaIds('The ids of the schemas that it may issue after the change'),
  verifierSchemas: schemaIds('The ids of the schemas that it may verify by its own right after the change'),
  ...AT,
})
const Standing = Type.Object({ ...PARTICIPANT, ...AT })
const Delegation = Type.Object({
  registryId,
  issuer: did('The DID of the issuer'),
  delegate: did('The DID that may issue, or might, in its name'),
  ...AT,
})
const MEMBER = {
  id: Type.Integer({ description: 'The id of the person; GET /teams/{id}/members has the name' }),
  role: text('The role of the person in the team'),
}
const Member = Type.Object(MEMBER)
const INVITATION = { id: text('The nonce in the token of the invitation'), registryId }
const EXPIRES = { expires: instant('The time at which it is over') }

const fired = (summary: string, data: TSchema, personal?: readonly string[]): WebhookEvent => ({
  summary,
  data,
  isFired: true,
  ...(personal && { personal }),
})
const planned = (summary: string, data: TSchema): WebhookEvent => ({ summary, data, isFired: false })

/** All events of web hooks, in the order of the reference. Their names and shapes never change; new ones may come. */
export const WEBHOOK_EVENTS = {
  credential_create: fired('A credential was made through the API', Issued, ['credential']),
  credential_issued: fired('A credential was signed and handed over', Issued, ['credential']),
  credential_revoke: fired('A revocation ended on the ledger', Transaction),
  credential_unrevoke: fired('The end of a revocation ended on the ledger', Transaction),
  did_create: fired('The creation of a DID ended on the ledger', DidTransaction),
  did_update_key: fired('The change of a DID’s key ended on the ledger', DidTransaction),
  did_update_controller: fired(
    'The change of a DID’s controllers ended on the ledger, also when its key changed with them',
    DidTransaction,
  ),
  did_delete: fired('The deletion of a DID ended on the ledger', DidTransaction),
  registry_create: fired('The creation of a revocation registry ended on the ledger', Transaction),
  registry_delete: fired('The deletion of a revocation registry ended on the ledger', Transaction),
  schema_create: fired(
    'A schema was stored',
    Type.Object({
      status: Type.Literal('finalized', { description: 'It is stored' }),
      id: text('The id of the schema'),
    }),
  ),
  anchor_create: planned('An anchor was written to the ledger', Transaction),
  proof_submitted: planned(
    'A wallet sent a presentation to a proof request',
    Type.Object({
      id: text('The id of the proof request'),
      verified: Type.Boolean({ description: 'Whether the presentation was verified' }),
    }),
  ),
  didcomm_message_received: planned(
    'A message for one of your DIDs was stored; its content is not sent',
    Type.Object({
      messageId: text('The id of the message'),
      to: did('The DID that it is for'),
      messageType: text('The type of the message'),
      sender: Type.Union([Type.String(), Type.Null()], { description: 'The DID of its sender, where it is known' }),
      receivedAt: instant('The time at which it was stored'),
    }),
  ),
  credential_offer_accepted: planned(
    'A wallet took an offered credential',
    Type.Object({ id: text('The id of the offer') }),
  ),
  credential_received: planned(
    'A credential was received for one of your DIDs',
    Type.Object({ id: text('The id of the credential'), holder: did('The DID that received it') }),
  ),
  trust_registry_create: fired('A trust registry with a convener of yours is on the ledger', Registry),
  trust_registry_update: fired('The name or the governance framework of a trust registry of yours changed', Registry),
  trust_registry_transfer_propose: fired(
    'A trust registry was offered to another convener; told to both',
    Type.Object({
      ...REGISTRY,
      proposedConvener: Type.Union([Type.String(), Type.Null()], { description: 'The DID that may take it' }),
      ...AT,
    }),
  ),
  trust_registry_transfer: fired(
    'A trust registry has another convener; told to both',
    Type.Object({
      ...REGISTRY,
      formerConvener: Type.Union([Type.String(), Type.Null()], { description: 'The DID that convened it before' }),
      ...AT,
    }),
  ),
  trust_registry_delete: fired('A trust registry of yours was removed', Registry),
  trust_registry_schema_create: fired(
    'A schema came into a trust registry of yours',
    Type.Object({ ...SCHEMA, ...AT }),
  ),
  trust_registry_schema_update: fired(
    'A schema of a trust registry of yours became public, or no longer is',
    Type.Object({ ...SCHEMA, isPublic: Type.Boolean({ description: 'Whether everybody may verify it now' }), ...AT }),
  ),
  trust_registry_schema_delete: fired('A schema left a trust registry of yours', Type.Object({ ...SCHEMA, ...AT })),
  participant_create: fired(
    'A DID has its first right in a trust registry; told to its team and to the convener’s, as the other events of participants',
    Participant,
  ),
  participant_update: fired('The rights or the prices of a participant changed', Participant),
  participant_delete: fired('A participant has no right any more', Participant),
  participant_suspend: fired('A participant was suspended', Standing),
  participant_reinstate: fired('The suspension of a participant ended', Standing),
  participant_deactivate: fired('The DID of a participant was deactivated: nothing is allowed to it', Standing),
  delegation_create: fired('An issuer named a delegate; told to the convener’s team and those of both', Delegation),
  delegation_delete: fired('A delegation ended; told to the same', Delegation),
  invitation_accept: fired(
    'A DID takes part in a trust registry by an invitation of yours, once the ledger has its rights',
    Type.Object({ ...INVITATION, did: did('The DID of the participant') }),
  ),
  invitation_decline: fired('An invitation into a trust registry of yours was declined', Type.Object(INVITATION)),
  team_invitation_accept: fired(
    'An invitation into the team was accepted; team_member_create follows',
    Type.Object({
      id: Type.Integer({ description: 'The id of the invitation' }),
      memberId: Type.Integer({ description: 'The id of the person' }),
      role: text('The role of the person in the team'),
    }),
  ),
  team_member_create: fired('A person joined the team', Member),
  team_member_update: fired(
    'A person of the team has another role',
    Type.Object({ ...MEMBER, formerRole: text('The role before') }),
  ),
  team_member_delete: fired('A person left the team', Member),
  key_expiring: fired('An API key will be over', Type.Object({ id: text('The public part of the key'), ...EXPIRES })),
  team_invitation_expiring: fired(
    'An invitation into the team will be over',
    Type.Object({ id: text('The id of the invitation'), ...EXPIRES }),
  ),
  invitation_expiring: fired(
    'An invitation into a trust registry of yours will be over',
    Type.Object({ ...INVITATION, ...EXPIRES }),
  ),
  credential_offer_expiring: planned(
    'An offer of yours will be over',
    Type.Object({ id: text('The id of the offer'), ...EXPIRES }),
  ),
  status_list_filling: fired(
    'Four fifths of a status list are used',
    Type.Object({
      id: text('The id of the revocation registry'),
      used: Type.Integer({ description: 'The number of its places that are used' }),
      length: Type.Integer({ description: 'The number of its places' }),
    }),
  ),
  webhook_disabled: fired(
    'Another web hook of the team was disabled by the service',
    Type.Object({
      id: text('The id of that web hook'),
      reason: text('The reason, for people'),
      failingSince: Type.Union([Type.String(), Type.Null()], {
        description: 'The time of the first failure since the last success',
      }),
    }),
  ),
  webhook_test: fired(
    'POST /webhooks/{id}/test was called; sent to that web hook whatever it asks for',
    Type.Object({ id: text('The id of the web hook') }),
  ),
} as const satisfies Record<string, WebhookEvent>

export type WebhookEventName = keyof typeof WEBHOOK_EVENTS

export const isWebhookEvent = (name: string): name is WebhookEventName => Object.hasOwn(WEBHOOK_EVENTS, name)

/** The names in the order of the reference. */
export const WEBHOOK_EVENT_NAMES = Object.keys(WEBHOOK_EVENTS).filter(isWebhookEvent)

/** The events of web hooks themselves. */
export const OWN_EVENTS = ['webhook_disabled', 'webhook_test'] as const satisfies readonly WebhookEventName[]
