/** What can be asked. Every root field takes `at`; what hangs below it is of the same point in time. */
export const SCHEMA = `
"A block number or an ISO 8601 instant."
scalar At
scalar JSON

type Query {
  "The block that an instant means; without one, the newest."
  point(at: At): Point!
  registries(filter: RegistryFilter, first: Int = 20, after: String, at: At): RegistryConnection!
  "By id or slug."
  registry(id: ID!, at: At): Registry
  participants(registryId: ID!, schema: String, role: Role, first: Int = 20, after: String, at: At): ParticipantConnection!
  dids(first: Int = 20, after: String, at: At): DidConnection!
  did(id: ID!, at: At): Did
  "Every right that a DID has, itself or as a delegate."
  rights(did: ID!, first: Int = 20, after: String, at: At): RightConnection!
  "The keys of a DID that are in use; none where the ledger does not know it."
  keys(did: ID!, first: Int = 20, after: String, at: At): DidKeyConnection!
  revocationRegistries(creator: ID, first: Int = 20, after: String, at: At): RevocationRegistryConnection!
  revocationRegistry(id: ID!, at: At): RevocationRegistry
  events(filter: EventFilter, order: Order = desc, first: Int = 20, after: String, at: At): EventConnection!
  "Whether a DID may issue or verify a schema; schema is a URI or its hash."
  authorization(registryId: ID!, did: ID!, schema: String!, role: Role!, at: At): Authorization!
}

enum Role { issuer verifier }
enum Order { asc desc }

"What an answer is true for."
type Point { block: Int! time: String! }

type PageInfo { hasNextPage: Boolean! endCursor: String }

"Fields combine by intersection, what stands in a field by union."
input RegistryFilter { issuers: [ID!] verifiers: [ID!] issuersOrVerifiers: [ID!] schemas: [String!] }

type Registry {
  id: ID!
  point: Point!
  name: String!
  convener: Did!
  pendingConvener: ID
  govFramework: String!
  version: Int!
  schemas(first: Int = 20, after: String): RegistrySchemaConnection!
  participants(schema: String, role: Role, first: Int = 20, after: String): ParticipantConnection!
  events(filter: EventFilter, order: Order = desc, first: Int = 20, after: String): EventConnection!
}
type RegistryEdge { cursor: String! node: Registry! }
type RegistryConnection { edges: [RegistryEdge!]! nodes: [Registry!]! pageInfo: PageInfo! point: Point! }

type RegistrySchema {
  "The hash of its URI."
  id: ID!
  "Whether anyone may verify it."
  public: Boolean!
}
type RegistrySchemaEdge { cursor: String! node: RegistrySchema! }
type RegistrySchemaConnection { edges: [RegistrySchemaEdge!]! nodes: [RegistrySchema!]! pageInfo: PageInfo! point: Point! }

type Participant {
  did: Did!
  suspended: Boolean!
  issuerSchemas: [ID!]!
  verifierSchemas: [ID!]!
  delegatedBy: [ID!]!
}
type ParticipantEdge { cursor: String! node: Participant! }
type ParticipantConnection { edges: [ParticipantEdge!]! nodes: [Participant!]! pageInfo: PageInfo! point: Point! }

type Did {
  id: ID!
  point: Point!
  "What the ledger knows of it; null for a did:key, which needs no ledger, and before it was created."
  state: DidState
  "The DID document; null where the DID did not exist."
  document: JSON
  "Every right that it has, itself or as a delegate."
  rights(first: Int = 20, after: String): RightConnection!
  events(filter: EventFilter, order: Order = desc, first: Int = 20, after: String): EventConnection!
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
type DidKey { id: Int! kind: String! publicKey: String! relationships: Int! }
type DidKeyEdge { cursor: String! node: DidKey! }
type DidKeyConnection { edges: [DidKeyEdge!]! nodes: [DidKey!]! pageInfo: PageInfo! point: Point! }

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
type RightEdge { cursor: String! node: Right! }
type RightConnection { edges: [RightEdge!]! nodes: [Right!]! pageInfo: PageInfo! point: Point! }

type DidService { id: String! type: String! endpoints: [String!]! }
type DidEdge { cursor: String! node: Did! }
type DidConnection { edges: [DidEdge!]! nodes: [Did!]! pageInfo: PageInfo! point: Point! }

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
  status(index: Int!): Boolean
  events(filter: EventFilter, order: Order = desc, first: Int = 20, after: String): EventConnection!
}
type RevocationRegistryEdge { cursor: String! node: RevocationRegistry! }
type RevocationRegistryConnection { edges: [RevocationRegistryEdge!]! nodes: [RevocationRegistry!]! pageInfo: PageInfo! point: Point! }

"from and to are blocks or instants, both inclusive."
input EventFilter { event: [String!] did: ID schema: String from: String to: String }

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
type EventEdge { cursor: String! node: Event! }
type EventConnection { total: Int! edges: [EventEdge!]! nodes: [Event!]! pageInfo: PageInfo! point: Point! }

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
