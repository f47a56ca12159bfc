import type { At } from '../../ledger/at.js'
import type { Listed } from '../../ledger/lists.js'
import { invalid } from '../../platform/errors.js'

export const DEFAULT_FIRST = 20
export const MAX_FIRST = 100

/** Arguments of every connection. */
export interface PageArgs {
  first: number
  after?: string | null
}

/** Part of a list, in the form of the GraphQL Cursor Connections Specification. */
export interface Connection<Node> {
  edges: { cursor: string; node: Node }[]
  nodes: Node[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
  point: Point
}

export interface Point {
  block: number
  time: string
}

export const pointOf = ({ block, time }: Pick<At, 'block' | 'time'>): Point => ({ block, time: time.toISOString() })

/** @throws 400 where `first` is out of bounds or `after` is no cursor of ours */
export function sliceOf({ first, after }: PageArgs, at: At) {
  if (first < 1 || first > MAX_FIRST) throw invalid(`first must be from 1 to ${MAX_FIRST}`)
  return { at, first, after: after === undefined || after === null ? undefined : idOf(after) }
}

export function connection<Item, Node>(
  { list, hasMore }: Listed<Item>,
  at: At,
  keyOf: (item: Item) => string,
  nodeOf: (item: Item) => Node,
): Connection<Node> {
  const edges = list.map((item) => ({ cursor: cursorOf(keyOf(item)), node: nodeOf(item) }))
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: { hasNextPage: hasMore, endCursor: edges.at(-1)?.cursor ?? null },
    point: pointOf(at),
  }
}

const cursorOf = (id: string): string => Buffer.from(id).toString('base64url')

function idOf(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString('utf8')
  if (cursorOf(id) !== cursor || id.includes('\0')) throw invalid('after must be the cursor of an edge')
  return id
}
