import { Type } from 'typebox'
import { type IdentifierKind, isIdentifier } from '../platform/identifiers.js'

const Members = (description: string) => Type.Object({}, { description, additionalProperties: true })
const UriOrObject = (description: string, kind?: IdentifierKind) =>
  Type.Union([Type.String({ maxLength: 4096, ...(kind && isIdentifier(kind)) }), Members(description), Type.Null()], {
    description,
  })
const Texts = Type.Union([
  Type.String({ maxLength: 512 }),
  Type.Array(Type.String({ maxLength: 512 }), { maxItems: 20 }),
])

/** `credential` of an issue request. Every member may also have W3C's name (`credentialSubject` for `subject`). */
const CredentialToIssue = Type.Object(
  {
    id: Type.Optional(
      Type.Union([Type.String({ maxLength: 512 }), Type.Null()], { description: 'A URI or UUID; blank: generated' }),
    ),
    type: Type.Optional(Texts),
    subject: Type.Optional(Type.Unknown({ description: 'An object, or an array of them' })),
    credentialSubject: Type.Optional(Type.Unknown()),
    issuer: Type.Optional(
      UriOrObject('A DID of yours, or an object with one as id. None or blank: the credential stays unsigned'),
    ),
    context: Type.Optional(Type.Unknown({ description: 'A URL, or an array of URLs and objects; blank: none' })),
    schema: Type.Optional(UriOrObject('URI or hash of a schema; the subject must satisfy it; blank: none', 'schema')),
    status: Type.Optional(
      UriOrObject('Id of one of your registries, or a status object; blank: none', 'revocationRegistry'),
    ),
    issuanceDate: Type.Optional(
      Type.Union([Type.String({ maxLength: 64 }), Type.Null()], { description: 'ISO 8601; blank: now' }),
    ),
    expirationDate: Type.Optional(
      Type.Union([Type.String({ maxLength: 64 }), Type.Null()], { description: 'ISO 8601; blank: never' }),
    ),
  },
  { additionalProperties: true },
)

export const DEFAULT_ALGORITHM = 'ed25519'

/** Forms send blank fields for what nobody filled in. */
const orBlank = (type: ReturnType<typeof Type.String>) => Type.Union([type, Type.Literal(''), Type.Null()])

const RECIPIENT = 'Who gets it; without distribute it is ignored'

export const IssueRequest = Type.Object({
  credential: CredentialToIssue,
  persist: Type.Boolean({ default: false, description: 'Keep a copy, sealed with the password' }),
  password: Type.Optional(
    orBlank(Type.String({ minLength: 4, maxLength: 32, description: 'Seals the copy; without persist it is ignored' })),
  ),
  anchor: Type.Optional(Type.Unknown({ description: 'Deprecated: nothing is anchored yet' })),
  template: Type.Optional(orBlank(Type.String({ pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' }))),
  recipientDID: Type.Optional(Type.String({ maxLength: 512, description: RECIPIENT })),
  recipientEmail: Type.Optional(Type.String({ maxLength: 320, description: RECIPIENT })),
  algorithm: Type.Optional(
    orBlank(
      Type.String({ minLength: 4, maxLength: 32, default: DEFAULT_ALGORITHM, description: 'ed25519 or ed25519-2018' }),
    ),
  ),
  distribute: Type.Boolean({ default: false }),
  format: Type.Enum(['jsonld', 'jwt', 'sdjwt'], { default: 'jsonld' }),
  revocable: Type.Boolean({ default: false, description: 'Gives it a place in the revocation registry of its issuer' }),
})

export const VerifiableCredential = Type.Object(
  {
    '@context': Type.Unknown(),
    id: Type.String(),
    type: Type.Array(Type.String()),
    credentialSubject: Type.Unknown(),
    issuer: Type.Optional(Type.Unknown()),
    issuanceDate: Type.String(),
    expirationDate: Type.Optional(Type.String()),
    credentialStatus: Type.Optional(Type.Unknown()),
    proof: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: true },
)

const Nullable = (type: ReturnType<typeof Type.String>) => Type.Union([type, Type.Null()])

export const CredentialMetadata = Type.Object({
  id: Type.String(),
  issuerKey: Nullable(Type.String()),
  issuerName: Nullable(Type.String()),
  type: Type.String(),
  revocationRegistry: Type.String(),
  revoked: Type.Boolean({ description: 'true: no longer valid, also where its registry was removed' }),
  createdAt: Type.String(),
  expiryDate: Nullable(Type.String()),
  expirationDate: Nullable(Type.String()),
  issuanceDate: Type.String(),
  byteSize: Type.Integer(),
  persist: Type.Boolean(),
  index: Type.String(),
  subjectRef: Type.String(),
  subjectId: Type.Optional(Type.String()),
  whitelabel: Type.Null(),
  algorithm: Type.String(),
  credential: Type.Union([Type.Null(), VerifiableCredential]),
})
