import { type Static, Type } from 'typebox'
import { schemaRefText, TrustRegistryRef } from '../../platform/http/identifiers.js'
import { SCHEMAS_MAX } from '../names/schema-ref.js'
import { ParticipantPrice } from '../prices/price.shape.js'

export const ParticipantStatus = Type.Union([Type.Literal('active'), Type.Literal('suspended')])
const ParticipantRole = Type.Union(
  [Type.Literal('verifier+issuer'), Type.Literal('issuer'), Type.Literal('verifier')],
  { description: 'The role that its rights make' },
)

export const SchemaList = Type.Array(schemaRefText(), {
  maxItems: SCHEMAS_MAX,
  description: 'Schemas as URIs, or as the hashes that the ledger knows them by',
})

export const InfoUrl = Type.Union([Type.String({ maxLength: 2048 }), Type.Literal('')], {
  description: 'http or https, or empty',
})

export const ParticipantParams = Type.Object({
  registryId: TrustRegistryRef,
  participantId: Type.String({ format: 'uuid', description: 'The id of the participant' }),
})

const STATUS_NOTE =
  'suspended: it may neither issue nor verify here, since it was suspended or since its DID was deactivated'

export const Participant = Type.Object({
  id: Type.String({ format: 'uuid', description: 'Stays the same when the DID leaves and comes back' }),
  did: Type.String({ description: 'The DID that takes part' }),
  name: Type.String({ description: "The profile's; the DID when there is none" }),
  description: Type.String({ description: 'In its own words, or empty' }),
  logoUrl: Type.String({ description: 'The address of its logo, or empty' }),
  infoUrl: Type.String({ description: 'The address at which more can be read about it, or empty' }),
  status: Type.Union(ParticipantStatus.anyOf, { description: STATUS_NOTE }),
  role: ParticipantRole,
  created: Type.String({ format: 'date-time', description: 'The time at which it was listed' }),
  suspendedAt: Type.String({
    description: 'Time of the block of the suspension, or of the deactivation of its DID; empty while active',
  }),
  suspendedBy: Type.Optional(
    Type.String({ description: 'The DID that suspended it on the ledger: the convener of that time' }),
  ),
  reason: Type.Optional(
    Type.String({
      description:
        'Why it is suspended, as the convener said here; kept by this service and public, and not on the ledger',
    }),
  ),
  deactivatedAt: Type.String({
    description:
      'Time of the block that deactivated its DID; empty while it is not. The ledger then has no suspension of it',
  }),
  issuerSchemas: Type.Array(Type.String(), { description: 'The schemas that it may issue, as URIs or hashes' }),
  verifierSchemas: Type.Array(Type.String(), { description: 'The schemas that it may verify, as URIs or hashes' }),
  prices: Type.Array(ParticipantPrice, {
    description:
      'The prices that it asks of every verifier; those for one verifier stand at the schema. Empty when its DID is deactivated',
  }),
  accepted: Type.Boolean({
    description: 'False for those who are listed on the ledger and never accepted an invitation here',
  }),
  userId: Type.Optional(Type.Integer({ description: 'The team that accepted' })),
  waitingFor: Type.Optional(
    Type.Literal('convener', {
      description: 'In what was accepted and comes about when the convener, which keeps its own key, has signed it',
    }),
  ),
})
export type Participant = Static<typeof Participant>

/** The members that a patch may have, and whose values come from elsewhere. */
export const IGNORED_IN_PATCH = {
  name: Type.Optional(Type.Unknown({ description: 'Ignored: it is that of the profile' })),
  logoUrl: Type.Optional(
    Type.Union([Type.Unknown(), Type.Literal('')], { description: 'Ignored: it is that of the profile' }),
  ),
  suspendedAt: Type.Optional(
    Type.Union([Type.Unknown(), Type.Literal('')], { description: 'Ignored: the ledger says when' }),
  ),
}

/** The members of an ecosystem's record that tell the role of one DID in it. */
export const ParticipantInEcosystem = {
  participantRole: ParticipantRole,
  participantStatus: Type.Union(ParticipantStatus.anyOf, { description: STATUS_NOTE }),
  participantName: Type.String({ description: "The profile's; the DID when there is none" }),
  participantLogoUrl: Type.String({ description: 'The address of its logo, or empty' }),
  participantInfoUrl: Type.String({ description: 'The address at which more can be read about it, or empty' }),
}
