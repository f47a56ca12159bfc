import { AT, PAGE, PARTICIPANTS, SCHEMA_ARG } from './schema-parts.js'
import { TYPES } from './schema-types.js'

/**
 * The questions that can be asked. A field with arguments can fail by itself, and is null then: the fields beside it
 * are told.
 */
export const SCHEMA = `
"A block number or an ISO 8601 instant."
scalar At
"Any JSON value."
scalar JSON

"Facts of the ledger, now or at any point of the past."
type Query {
  "The block that an instant means; without one, the newest."
  point(${AT}
  ): Point
  "Registries, by their ids."
  registries(
    "Only these registries; left out: all."
    filter: RegistryFilter${PAGE}${AT}
  ): RegistryConnection
  "One registry; null where there is none."
  registry(
    "Its id, 32 bytes in hexadecimal with or without 0x, or its slug."
    id: ID!${AT}
  ): Registry
  "Everybody in a registry, by their DIDs."
  participants(
    "The id of the registry, or its slug."
    registryId: ID!${PARTICIPANTS}${AT}
  ): ParticipantConnection
  "Every DID of the ledger, deactivated ones too."
  dids(${PAGE}${AT}
  ): DidConnection
  "One DID; null where the ledger does not know it."
  did(
    "did:svc, or did:key."
    id: ID!${AT}
  ): Did
  "Every right that a DID has, itself or as a delegate."
  rights(
    "did:svc, or did:key."
    did: ID!${PAGE}${AT}
  ): RightConnection
  "The keys of a DID that are in use; none where the ledger does not know it."
  keys(
    "did:svc, or did:key."
    did: ID!${PAGE}${AT}
  ): DidKeyConnection
  "Revocation registries, removed ones too, by their ids."
  revocationRegistries(
    "Only those that this DID made."
    creator: ID${PAGE}${AT}
  ): RevocationRegistryConnection
  "One revocation registry; null where there is none."
  revocationRegistry(
    "Its id, 32 bytes in hexadecimal with or without 0x."
    id: ID!${AT}
  ): RevocationRegistry
  "Everything that happened on the ledger."
  events(
    "Only these events; left out: all."
    filter: EventFilter
    "asc: the oldest first."
    order: Order = desc${PAGE}${AT}
  ): EventConnection
  "Whether a DID may issue or verify a schema."
  authorization(
    "The id of the registry, or its slug."
    registryId: ID!
    "The DID that would act."
    did: ID!${SCHEMA_ARG}
    schema: String!
    "The role in which it would act."
    role: Role!${AT}
  ): Authorization
}

"Issuers sign credentials of a schema, verifiers ask for them."
enum Role {
  "Signs credentials of a schema."
  issuer
  "Asks for credentials of a schema."
  verifier
}
"By the block, and in it by the place of the event."
enum Order {
  "The oldest first."
  asc
  "The newest first."
  desc
}

"The point in time that an answer is true for."
type Point {
  "The number of the block."
  block: Int!
  "Its time, ISO 8601."
  time: String!
}

"Pages go forward: hasPreviousPage tells whether one stands before this."
type PageInfo {
  "Whether there are more behind this page."
  hasNextPage: Boolean!
  "Whether a page stands before this."
  hasPreviousPage: Boolean!
  "The place of the first on this page; null where there is none."
  startCursor: String
  "The place of the last on this page, to ask for the next one; null where there is none."
  endCursor: String
}

"Fields combine by intersection, what stands in a field by union. At most 64 in each."
input RegistryFilter {
  "Registries in which one of these DIDs is listed as issuer, or is the delegate of one."
  issuers: [ID!]
  "Registries in which one of these DIDs is listed as verifier."
  verifiers: [ID!]
  "Either of both."
  issuersOrVerifiers: [ID!]
  "Registries with one of these schemas: URIs, or the hashes of them."
  schemas: [String!]
}
${TYPES}`
