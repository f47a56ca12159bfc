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

const Registry = Type.Object({ id: text('The id of the trust registry'), convener: did('The DID of its convener') })
const Participant = Type.Object({
  registryId: text('The id of the trust registry'),
  did: did('The DID of the participant'),
})
const Member = Type.Object({ id: text('The id of the member'), role: text('The role in the team') })
const lapses = (what: string) => Type.Object({ id: text(what), lapses: instant('The time at which it is over') })

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
  trust_registry_create: planned('A trust registry of yours is on the ledger', Registry),
  trust_registry_update: planned('A trust registry of yours was changed', Registry),
  trust_registry_delete: planned('A trust registry of yours was removed', Registry),
  participant_create: planned('A participant joined a trust registry of yours', Participant),
  participant_update: planned('The rights or the status of a participant changed', Participant),
  participant_delete: planned('A participant left a trust registry of yours', Participant),
  team_member_create: planned('A member joined the team', Member),
  team_member_delete: planned('A member left the team', Member),
  key_expiring: planned('An API key is about to lapse', lapses('The public part of the key')),
  status_list_expiring: planned('A status list is about to lapse', lapses('The id of the registry')),
  invitation_expiring: planned('An invitation of yours is about to lapse', lapses('The id of the invitation')),
  credential_offer_expiring: planned('An offer of yours is about to lapse', lapses('The id of the offer')),
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
