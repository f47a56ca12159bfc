import { MOST_COUNTED } from '../../ledger/read/registries/registry-listings.js'
import { MAX_FIRST } from './connection.js'

/** The cost of a total: it reads as much as a page of the longest list. */
export const COST_OF_TOTAL = 50

export const PAGE = `
    "The number of entries, 1 to ${MAX_FIRST}."
    first: Int = 20
    "The endCursor of the page before, asked for with the same arguments."
    after: String`

/** The arguments of root fields: everything below one is of the same point in time. */
export const AT = `
    "Ask about the past: a block number, or an ISO 8601 instant that is not in the future. Left out: the newest final block."
    at: At`

export const EVENTS = `
  "The events that happened to it, up to the point in time."
  events(
    "Only these events; left out: all."
    filter: EventFilter
    "asc: the oldest first."
    order: Order = desc${PAGE}
  ): EventConnection`

export const PARTICIPANTS = `
    "Only who is listed for this schema: its URI, or the hash of it."
    schema: String
    "Only who may do this."
    role: Role${PAGE}`

export const SCHEMA_ARG = `
    "The URI of the schema, or the hash of it."`

/** A connection of the GraphQL Cursor Connections Specification, with the point that its answer is true for. */
export const connection = (node: string, more = '') => `
"One of a page, with its place."
type ${node}Edge {
  "Its place: as after of a further page."
  cursor: String!
  "The entry."
  node: ${node}!
}
"A page of a list."
type ${node}Connection {${more}
  "Those of this page, with their places."
  edges: [${node}Edge!]!
  "The same without places."
  nodes: [${node}!]!
  "The number of entries on all pages${more === '' ? `; null where they are more than ${MOST_COUNTED}, which are not counted` : ''}. It costs ${COST_OF_TOTAL}."
  totalCount: Int
  "Whether there are more, and where the page begins and ends."
  pageInfo: PageInfo!
  "The point in time that the answer is true for."
  point: Point!
}
`
