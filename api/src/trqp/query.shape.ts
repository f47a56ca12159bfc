import { type Static, type TSchema, Type } from 'typebox'
import { type IdentifierKind, isIdentifier } from '../platform/http/identifiers.js'

const Identifier = (description: string, kind?: IdentifierKind) =>
  Type.String({ minLength: 1, maxLength: 1024, description, ...(kind && isIdentifier(kind)) })

const Time = Type.String({
  maxLength: 64,
  description: 'RFC 3339, Z or an offset. The instant that the answer is about; empty or absent: now.',
  examples: ['2026-01-31T12:00:00Z'],
})

/** Conditions beside the authority. An unknown one is refused: an answer without it would be about another question. */
const QueryContext = Type.Object(
  {
    time: Type.Optional(Time),
    locator: Type.Optional(
      Identifier(
        'Id or slug of the registry that is meant, where authority_id is a DID that convenes several',
        'trustRegistry',
      ),
    ),
  },
  { additionalProperties: Type.String({ maxLength: 1024 }), description: 'Conditions of the question' },
)

const members = {
  entity_id: Identifier('The DID that is asked about'),
  authority_id: Identifier(
    'The authority whose word is asked for: the id or slug of a trust registry, its address (<api>/trust-registries/{id}, <api>/trust-registries/{id}/public, <api>/ecosystems/{slug}), or the DID of its convener',
    'trustRegistry',
  ),
  action: Identifier('The action that the entity would take'),
  resource: Identifier('The resource of the action', 'schema'),
  context: Type.Optional(QueryContext),
}

export const TrqpQuery = Type.Object(members)
export type TrqpQuery = Static<typeof TrqpQuery>

/** The protocol's answer, with the facts that it rests on. */
export const answerShape = <V extends Record<string, TSchema>>(verdict: V, reasons: readonly string[]) =>
  Type.Object({
    ...members,
    ...verdict,
    time_requested: Type.Optional(Type.String({ description: 'context.time as it was sent' })),
    time_evaluated: Type.String({ format: 'date-time', description: 'The time at which the question was answered' }),
    message: Type.String({ description: 'The answer in a sentence' }),
    evidence: Type.Object(
      {
        reason: Type.Enum([...reasons], { description: 'Why, in one word' }),
        via: Type.Optional(Type.String({ description: 'The issuer that delegated' })),
        since: Type.Optional(Type.String({ format: 'date-time', description: 'Since when that is so' })),
        event: Type.Optional(Type.String({ description: 'The event that made it so: <block>-<index>' })),
        block: Type.Integer({ description: 'The block that the answer is true for' }),
        time: Type.String({ format: 'date-time', description: 'The time of that block' }),
      },
      { description: 'Ours, beside what the protocol asks for' },
    ),
  })

export const TRQP_NOTE = `Trust Registry Query Protocol 2.0, public. Identifiers are text as in RFC 3986; what they may hold beyond it is percent-encoded.
An authority that this ledger never had is 404; an entity, an action or a resource that the authority says nothing about is the answer false.
With context.time the answer is the one of that instant, as with \`at\` elsewhere: before the first block and in the future are 400.
With \`Accept: application/jwt\` the answer is a JWS (EdDSA) whose claims are the answer, with iss, sub, iat. It is signed by the present convener of the
registry, with a key that its DID document lists, if this service holds one; if not, 406: there is no DID of the deployment that could speak for an authority.`
