import { Type } from 'typebox'
import type { Credential } from '../formats/credential-format.js'
import { choicesOf, FORMAT_NAMES, FORMATS } from '../formats/formats.js'
import { type IdentifierKind, isIdentifier } from '../platform/http/identifiers.js'

const Members = (description: string) => Type.Object({}, { description, additionalProperties: true })
const UriOrObject = (description: string, kind?: IdentifierKind) =>
  Type.Union([Type.String({ maxLength: 4096, ...(kind && isIdentifier(kind)) }), Members(description), Type.Null()], {
    description,
  })
const Texts = Type.Union(
  [Type.String({ maxLength: 512 }), Type.Array(Type.String({ maxLength: 512 }), { maxItems: 20 })],
  { description: 'Its types beside VerifiableCredential' },
)

/** `credential` of an issue request. Every member may also have W3C's name (`credentialSubject` for `subject`). */
const CredentialToIssue = Type.Object(
  {
    id: Type.Optional(
      Type.Union([Type.String({ maxLength: 512 }), Type.Null()], { description: 'A URI or UUID; blank: generated' }),
    ),
    type: Type.Optional(Texts),
    subject: Type.Optional(Type.Unknown({ description: 'An object, or an array of them' })),
    credentialSubject: Type.Optional(Type.Unknown({ description: 'Another spelling of subject' })),
    issuer: Type.Optional(
      UriOrObject('A DID of yours, or an object with one as id. None or blank: the credential stays unsigned'),
    ),
    context: Type.Optional(
      Type.Unknown({
        description:
          'A URL, or an array of URLs and objects; blank: none. https://www.w3.org/ns/credentials/v2 as the first one means data model 2.0',
      }),
    ),
    schema: Type.Optional(UriOrObject('URI or hash of a schema; the subject must satisfy it; blank: none', 'schema')),
    status: Type.Optional(
      UriOrObject('Id of one of your registries, or a status object; blank: none', 'revocationRegistry'),
    ),
    issuanceDate: Type.Optional(
      Type.Union([Type.String({ maxLength: 64 }), Type.Null()], {
        description: 'ISO 8601; blank: now. In data model 2.0 it is validFrom, which may be sent in its place',
      }),
    ),
    expirationDate: Type.Optional(
      Type.Union([Type.String({ maxLength: 64 }), Type.Null()], {
        description: 'ISO 8601; blank: never. In data model 2.0 it is validUntil, which may be sent in its place',
      }),
    ),
  },
  { additionalProperties: true, description: 'The claims, of whom they are, and since when' },
)

const ALGORITHMS = FORMAT_NAMES.flatMap((format) => choicesOf(FORMATS, format)).map(({ algorithm }) => algorithm)
const ALGORITHM_NAMES = [...new Set(ALGORITHMS.map(({ name }) => name))]
const MIN_NAME = 4
/** The aliases that are shorter than a name may be. */
const SHORT_ALIASES = ALGORITHMS.flatMap(({ aliases = [] }) => aliases).filter(({ length }) => length < MIN_NAME)
const [DEFAULT_ALGORITHM] = ALGORITHM_NAMES

/** Forms send an empty text for a field that nobody filled in. */
const orBlank = (type: ReturnType<typeof Type.String>, description: string) =>
  Type.Union([type, Type.Literal(''), Type.Null()], { description })

const RECIPIENT = 'The recipient; without distribute it is ignored'

export const IssueRequest = Type.Object({
  credential: CredentialToIssue,
  persist: Type.Boolean({ default: false, description: 'Keep a copy, sealed with the password' }),
  password: Type.Optional(
    orBlank(Type.String({ minLength: 4, maxLength: 32 }), 'Seals the copy; without persist it is ignored'),
  ),
  anchor: Type.Optional(Type.Unknown({ description: 'Deprecated: nothing is anchored yet' })),
  template: Type.Optional(
    orBlank(
      Type.String({ pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' }),
      'The id of a template of yours',
    ),
  ),
  recipientDID: Type.Optional(Type.String({ maxLength: 512, description: RECIPIENT })),
  recipientEmail: Type.Optional(Type.String({ maxLength: 320, description: RECIPIENT })),
  algorithm: Type.Optional(
    Type.Union(
      [
        Type.String({ minLength: MIN_NAME, maxLength: 32, default: DEFAULT_ALGORITHM }),
        ...['', ...SHORT_ALIASES].map((text) => Type.Literal(text)),
        Type.Null(),
      ],
      { description: ALGORITHM_NAMES.join(' or ') },
    ),
  ),
  distribute: Type.Boolean({ default: false, description: 'Send it to its holder' }),
  format: Type.Enum([...FORMAT_NAMES], {
    default: 'jsonld',
    description: 'The form in which it is written and signed',
  }),
  revocable: Type.Boolean({ default: false, description: 'Gives it a place in the revocation registry of its issuer' }),
})

const VerifiableCredential = Type.Object(
  {
    '@context': Type.Unknown({ description: 'The meaning of its terms (JSON-LD)' }),
    id: Type.String({ description: 'Its id, a URI' }),
    type: Type.Array(Type.String(), { description: 'VerifiableCredential and its own types' }),
    credentialSubject: Type.Unknown({ description: 'The claims, and of whom they are' }),
    issuer: Type.Optional(Type.Unknown({ description: 'The DID that signed it, with its name where it has one' })),
    issuanceDate: Type.Optional(Type.String({ description: 'Since when it is valid, in data model 1.1' })),
    expirationDate: Type.Optional(Type.String({ description: 'Until when it is valid, in data model 1.1' })),
    validFrom: Type.Optional(Type.String({ description: 'Since when it is valid, in data model 2.0' })),
    validUntil: Type.Optional(Type.String({ description: 'Until when it is valid, in data model 2.0' })),
    credentialStatus: Type.Optional(Type.Unknown({ description: 'The place where its revocation would stand' })),
    proof: Type.Optional(Type.Unknown({ description: 'The signature; absent when it is unsigned' })),
  },
  { additionalProperties: true },
)

/** A credential as it was issued: an object, or a compact token. */
export const IssuedCredential = Type.Unsafe<Credential>(
  Type.Union([VerifiableCredential, Type.String()], {
    description: 'The credential: an object, or a compact token as text',
  }),
)

const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const CredentialMetadata = Type.Object({
  id: Type.String({ description: 'Its id, a URI' }),
  issuerKey: nullable('The verification method that signed'),
  issuerName: nullable('The name of the issuer'),
  type: Type.String({ description: 'The last of its types: the most specific one, as its issuer wrote them' }),
  revocationRegistry: Type.String({ description: 'The revocation registry that its status stands in, or empty' }),
  revoked: Type.Boolean({ description: 'true: no longer valid, also where its registry was removed' }),
  createdAt: Type.String({ description: 'The time at which it was issued here' }),
  expiryDate: nullable('The same as expirationDate'),
  expirationDate: nullable('Until when it is valid'),
  issuanceDate: Type.String({ description: 'Since when it is valid' }),
  byteSize: Type.Integer({ description: 'The number of its bytes' }),
  persist: Type.Boolean({ description: 'Whether a copy is kept' }),
  index: Type.String({ description: 'Its place in the revocation registry, or empty' }),
  subjectRef: Type.String({
    description: 'The ids of its subjects, with spaces between them, cut off after 1024 characters; or empty',
  }),
  subjectId: Type.Optional(Type.String({ description: 'The same as subjectRef; left out where no subject has an id' })),
  whitelabel: Type.Null({ description: 'Always null' }),
  algorithm: Type.String({ description: 'The algorithm that signed it' }),
  credential: Type.Union([Type.Null(), IssuedCredential], {
    description: 'The credential itself, with the password that it was persisted with',
  }),
})
