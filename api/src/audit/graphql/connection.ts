import type { At } from '../../ledger/read/at.js'
import type { Listed } from '../../ledger/read/registries/registry-listings.js'
import { cursorAfter, keyOfCursor } from '../../platform/http/cursor.js'
import { invalid } from '../../platform/http/errors.js'

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
  /** The total is counted when it is asked for, once for all of its names. */
  totalCount: () => Promise<number | null>
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  point: Point
}

export interface Point {
  block: number
  time: string
}

export const pointOf = ({ block, time }: Pick<At, 'block' | 'time'>): Point => ({ block, time: time.toISOString() })

/** One page of a connection. `query` decides which things the connection holds, and cursors belong to one `query`. */
export class Page {
  readonly slice: { at: At; first: number; after: string | undefined }

  /** @throws 400 where `first` is out of bounds or `after` is no cursor of this connection */
  constructor(
    { first, after }: PageArgs,
    at: At,
    private readonly query: unknown,
  ) {
    if (first < 1 || first > MAX_FIRST) throw invalid(`first must be from 1 to ${MAX_FIRST}`)
    this.slice = {
      at,
      first,
      after: after === undefined || after === null ? undefined : keyOfCursor(query, after, 'after'),
    }
  }

  connection<Item, Node>(
    { list, hasMore }: Listed<Item>,
    keyOf: (item: Item) => string,
    nodeOf: (item: Item) => Node,
    count: () => Promise<number | null>,
  ): Connection<Node> {
    let counted: Promise<number | null> | undefined
    const totalCount = () => {
      counted ??= count()
      return counted
    }
    const edges = list.map((item) => ({ cursor: cursorAfter(this.query, keyOf(item)), node: nodeOf(item) }))
    return {
      edges,
      nodes: edges.map(({ node }) => node),
      totalCount,
      pageInfo: {
        hasNextPage: hasMore,
        // A cursor names the last thing before those that follow it.
        hasPreviousPage: this.slice.after !== undefined,
        startCursor: edges[0]?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      },
      point: pointOf(this.slice.at),
    }
  }
}
