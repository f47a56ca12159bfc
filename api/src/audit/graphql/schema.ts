import { MOST_COUNTED } from '../../ledger/read/registries/registry-listings.js'
import { MAX_FIRST } from './connection.js'

/** The cost of a total: it reads as much as a page of the longest list. */
export const COST_OF_TOTAL = 50

const PAGE = `
    "How many, 1 to ${MAX_FIRST}."
    first: Int = 20
    "The endCursor of the page before, asked for with the same arguments."
    after: String`

/** The arguments of root fields: everything below one is of the same point in time. */
const AT = `
    "Ask about the past: a block number, or an ISO 8601 instant that is not in the future. Left out: the newest final block."
    at: At`

const EVENTS = `
  "What happened to it, up to the point in time."
  events(
    filter: EventFilter
    "asc: the oldest first."
    order: Order = desc${PAGE}
  ): EventConnection`

const PARTICIPANTS = `
    "Only who is listed for this schema: its URI, or the hash of it."
    schema: String
    "Only who may do this."
    role: Role${PAGE}`

const SCHEMA_ARG = `
    "The URI of the schema, or the hash of it."`

/**
 * A connection of the GraphQL Cursor Connections Specification, which also tells the point that its answer is true for.
 */
const connection = (node: string, more = '') => `
type ${node}Edge { cursor: String! node: ${node}! }
type ${node}Connection {${more}
  edges: [${node}Edge!]!
  nodes: [${node}!]!
  "How many there are on all pages${more === '' ? `; null where they are more than ${MOST_COUNTED}, which are not counted` : ''}. It costs ${COST_OF_TOTAL}."
  totalCount: Int
  pageInfo: PageInfo!
  "What the answer is true for."
  point: Point!
}
`

/**
 * The questions that can be asked. A field with arguments can fail by itself, and is null then: the fields beside it
 * are told.
 */
export const SCHEMA = `
"A block number or an ISO 8601 instant."
scalar At
"Any JSON value."
scalar JSON

type Query {
  "The block that an instant means; without one, the newest."
  point(${AT}
  ): Point
  "Registries, by their ids."
  registries(
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
    filter: EventFilter
    "asc: the oldest first."
    order: Order = desc${PAGE}${AT}
  ): EventConnection
  "Whether a DID may issue or verify a schema."
  authorization(
    "The id of the registry, or its slug."
    registryId: ID!
    "Who would act."
    did: ID!${SCHEMA_ARG}
    schema: String!
    "What it would do."
    role: Role!${AT}
  ): Authorization
}

"Issuers sign credentials of a schema, verifiers ask for them."
enum Role { issuer verifier }
"By the block, and in it by the place of the event."
enum Order { asc desc }

"What an answer is true for."
type Point { block: Int! time: String! }

"Pages go forward: hasPreviousPage tells whether one stands before this."
type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }

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

type Registry {
  id: ID!
  point: Point!
  name: String!
  convener: Did!
  "To whom it was offered and who has not accepted yet."
  pendingConvener: ID
  govFramework: String!
  version: Int!
  schemas(${PAGE}
  ): RegistrySchemaConnection
  "Everybody in it, by their DIDs."
  participants(${PARTICIPANTS}
  ): ParticipantConnection${EVENTS}
}
${connection('Registry')}
type RegistrySchema {
  "The hash of its URI."
  id: ID!
  "Whether anyone may verify it."
  public: Boolean!
}
${connection('RegistrySchema')}
type Participant {
  did: Did!
  "By the convener, or since its DID is deactivated."
  suspended: Boolean!
  "Whether its DID is deactivated."
  deactivated: Boolean!
  issuerSchemas: [ID!]!
  verifierSchemas: [ID!]!
  delegatedBy: [ID!]!
}
${connection('Participant')}
type Did {
  id: ID!
  point: Point!
  "What the ledger knows of it; null for a did:key, which needs no ledger, and before it was created."
  state: DidState
  "The DID document; null where the DID did not exist."
  document: JSON
  "Every right that it has, itself or as a delegate."
  rights(${PAGE}
  ): RightConnection${EVENTS}
}
type DidState {
  created: String
  updated: String
  versionId: String
  deactivated: Boolean!
  keys: [DidKey!]!
  controllers: [ID!]!
  services: [DidService!]!
}
type DidKey {
  id: Int!
  kind: String!
  publicKey: String!
  "What it may be used for, as the ledger stores it: one bit for each."
  relationships: Int!
}
${connection('DidKey')}
type Right {
  registryId: ID!
  "The hash of the schema."
  schemaId: ID!
  role: Role!
  "Listed itself; else a delegate."
  direct: Boolean!
  "The issuer that delegated."
  via: ID
  suspended: Boolean!
  "Whether it may act on it: neither it nor the issuer that delegated is suspended or deactivated."
  effective: Boolean!
  since: String!
  "The event that brought it."
  event: ID
}
${connection('Right')}
type DidService { id: String! type: String! endpoints: [String!]! }
${connection('Did')}
type RevocationRegistry {
  id: ID!
  point: Point!
  kind: String!
  policy: [ID!]!
  creator: ID!
  addOnly: Boolean!
  length: Int
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

type Event {
  id: ID!
  block: Int!
  time: String!
  extrinsicHash: String
  event: String!
  actor: String!
  keyId: Int
  "Of the action that it belongs to."
  nonce: Int
  "blake2-256 of the calls that were dispatched together."
  callHash: String
  submitter: String
  registryId: ID
  schemaId: ID
  subject: ID
  before: JSON
  after: JSON
}
${connection('Event', '\n  "The same as totalCount."\n  total: Int!')}
type Authorization {
  authorized: Boolean!
  reason: String!
  "The issuer that delegated."
  via: ID
  since: String
  "The event that made it so."
  event: ID
  "Why, since when and by which event."
  explanation: String!
  block: Int!
  time: String!
}
`
