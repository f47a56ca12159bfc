import { connection, EVENTS, PAGE, PARTICIPANTS } from './schema-parts.js'

/** The things that questions are about. */
export const TYPES = `
"A trust registry: who may issue and verify what, governed by its convener."
type Registry {
  "Its id, 32 bytes in hexadecimal."
  id: ID!
  "The point in time that this is true for."
  point: Point!
  "Its name, as the ledger has it."
  name: String!
  "The DID that governs it."
  convener: Did!
  "To whom it was offered and who has not accepted yet."
  pendingConvener: ID
  "The governance framework as the ledger holds it: a URL with a digest, as bytes in hexadecimal."
  govFramework: String!
  "It grows by one with every change of its rights."
  version: Int!
  "The schemas that it is about, by their hashes."
  schemas(${PAGE}
  ): RegistrySchemaConnection
  "Everybody in it, by their DIDs."
  participants(${PARTICIPANTS}
  ): ParticipantConnection${EVENTS}
}
${connection('Registry')}
"A schema of a registry."
type RegistrySchema {
  "The hash of its URI."
  id: ID!
  "Whether anyone may verify it."
  public: Boolean!
}
${connection('RegistrySchema')}
"A DID in a registry."
type Participant {
  "The DID of the participant."
  did: Did!
  "By the convener, or since its DID is deactivated."
  suspended: Boolean!
  "Whether its DID is deactivated."
  deactivated: Boolean!
  "Hashes of the schemas that it issues, listed itself."
  issuerSchemas: [ID!]!
  "Hashes of the schemas that it verifies."
  verifierSchemas: [ID!]!
  "The issuers that delegated to it."
  delegatedBy: [ID!]!
}
${connection('Participant')}
"A DID."
type Did {
  "The DID itself."
  id: ID!
  "The point in time that this is true for."
  point: Point!
  "The ledger's record of it; null for a did:key, which needs no ledger, and before it was created."
  state: DidState
  "The DID document; null where the DID did not exist."
  document: JSON
  "Every right that it has, itself or as a delegate."
  rights(${PAGE}
  ): RightConnection${EVENTS}
}
"The ledger's record of a DID."
type DidState {
  "The time of its creation, ISO 8601."
  created: String
  "The time of its last change, ISO 8601."
  updated: String
  "The version of its document."
  versionId: String
  "Whether it came to its end."
  deactivated: Boolean!
  "Its keys that are in use."
  keys: [DidKey!]!
  "The DIDs that may act for it beside itself."
  controllers: [ID!]!
  "Its services."
  services: [DidService!]!
}
"A key of a DID."
type DidKey {
  "Its number: n of #keys-n."
  id: Int!
  "Its kind, such as Ed25519."
  kind: String!
  "Its public bytes in hexadecimal."
  publicKey: String!
  "The purposes that it may be used for, as the ledger stores them: one bit for each."
  relationships: Int!
}
${connection('DidKey')}
"A right of a DID to a schema."
type Right {
  "The trust registry that gives it."
  registryId: ID!
  "The hash of the schema."
  schemaId: ID!
  "The role in which it may act."
  role: Role!
  "Listed itself; else a delegate."
  direct: Boolean!
  "The issuer that delegated."
  via: ID
  "Whether it is suspended in the registry, whatever its roles; also when it is deactivated."
  suspended: Boolean!
  "Whether it may act on it: neither it nor the issuer that delegated is suspended or deactivated."
  effective: Boolean!
  "Since when it has it, suspended or not, ISO 8601."
  since: String!
  "The event that brought it."
  event: ID
}
${connection('Right')}
"An address that belongs to a DID."
type DidService {
  "Its id: the part behind the # of the DID."
  id: String!
  "Its type, such as LinkedDomains."
  type: String!
  "The addresses at which it is: URIs."
  endpoints: [String!]!
}
${connection('Did')}
"A registry of credentials that were taken back."
type RevocationRegistry {
  "Its id, 32 bytes in hexadecimal."
  id: ID!
  "The point in time that this is true for."
  point: Point!
  "The way in which it tells: by a list of bits, or an accumulator."
  kind: String!
  "The DIDs that may change it."
  policy: [ID!]!
  "The DID that made it."
  creator: ID!
  "Whether what is revoked stays revoked."
  addOnly: Boolean!
  "The number of its bits; null for an accumulator."
  length: Int
  "Whether it was removed."
  removed: Boolean!
  "Whether the bit is set; null past the end, and when the registry was removed."
  status(
    "The statusListIndex of a credential, from 0."
    index: Int!
  ): Boolean${EVENTS}
}
${connection('RevocationRegistry')}
"Fields combine by intersection. from and to are both inclusive."
input EventFilter {
  "Names of events as they are told, at most 64: IssuerSuspended, DidKeysAdded."
  event: [String!]
  "Events that concern this DID: it acted, or it happened to it."
  did: ID
  "The URI of a schema, or the hash of it."
  schema: String
  "The first block, or an ISO 8601 instant."
  from: String
  "The last block, or an ISO 8601 instant."
  to: String
}

"Something that happened on the ledger."
type Event {
  "<block>-<place in the block>."
  id: ID!
  "The number of its block."
  block: Int!
  "The time of its block, ISO 8601."
  time: String!
  "The hash of the extrinsic that brought it; null where none did."
  extrinsicHash: String
  "Its name, such as IssuerSuspended."
  event: String!
  "The DID that acted. Where none did: on a network council, or the account of one of its members; root for the operator of an embedded ledger, and for the ledger itself."
  actor: String!
  "The number of the key that signed."
  keyId: Int
  "Of the action that it belongs to."
  nonce: Int
  "blake2-256 of the calls that were dispatched together."
  callHash: String
  "The account that paid."
  submitter: String
  "The registry that it concerns."
  registryId: ID
  "The hash of the schema that it concerns."
  schemaId: ID
  "The DID that it happened to."
  subject: ID
  "The facts that it changed, as they were."
  before: JSON
  "The same as it became."
  after: JSON
}
${connection('Event', '\n  "The same as totalCount."\n  total: Int!')}
"Whether a DID may act, and why."
type Authorization {
  "Whether it may."
  authorized: Boolean!
  "Why, in one word: direct, delegated, public_schema, suspended, delegator_suspended, deactivated, not_listed, unknown_registry or unknown_schema."
  reason: String!
  "The issuer that delegated."
  via: ID
  "Since when that is so, ISO 8601."
  since: String
  "The event that made it so."
  event: ID
  "Why, since when and by which event."
  explanation: String!
  "The block that the answer is true for."
  block: Int!
  "The time of that block, ISO 8601."
  time: String!
}
`
