import type { Readable } from 'node:stream'
import type { Did } from '@accredit/chain'
import { type Static, Type } from 'typebox'
import { namedDid } from '../dids/did-param.js'
import { type At, AtQuery, answerAt } from '../ledger/read/at.js'
import { type DidRight, didRightsAt, keyOfRight } from '../ledger/read/did-rights.js'
import type { PublicContext } from '../platform/http/context.js'
import { cursorAfter, keyOfCursor } from '../platform/http/cursor.js'
import { operation } from '../platform/http/operation.js'
import {
  columnsOf,
  LIST_TYPES,
  STREAM_CHUNK,
  STREAM_NOTE,
  streamedList,
  wantedStream,
} from '../platform/http/streamed-list.js'
import { schemaUris } from './schema-uris.js'

const Right = Type.Object({
  registryId: Type.String({ description: 'The trust registry that gives it' }),
  schemaId: Type.String({ description: 'The hash of the schema' }),
  schemaUri: Type.Optional(Type.String({ description: 'Its URI, where this service knows it' })),
  role: Type.Union([Type.Literal('issuer'), Type.Literal('verifier')], {
    description: 'The right that it has to the schema',
  }),
  direct: Type.Boolean({ description: 'Listed itself; else a delegate' }),
  via: Type.Optional(Type.String({ description: 'The issuer that delegated' })),
  suspended: Type.Boolean({
    description: 'Suspended in the registry, whatever its roles; also when the DID is deactivated',
  }),
  effective: Type.Boolean({
    description: 'Whether it may act on it: neither it nor the issuer that delegated is suspended or deactivated',
  }),
  since: Type.String({ format: 'date-time', description: 'Since when it has it, suspended or not' }),
  event: Type.Optional(Type.String({ description: 'The event that brought it, <block>-<index>' })),
})

const LIMIT = 64

const Page = Type.Object({
  list: Type.Array(Right, { description: 'The rights of this page' }),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'The cursor of the next page; null: this is the last',
  }),
})

export const listDidRights = operation({
  method: 'GET',
  url: '/dids/:did/rights',
  operationId: 'listDidRights',
  tags: ['dids'],
  summary: 'List every right that a DID has, in any registry',
  description:
    'The schemas that it may issue and verify, itself or as a delegate, at any point of the past; through several issuers it has a right several times. ' +
    'A schema that a registry opened to everybody is nobody’s right. A DID that no registry lists has none, created or not. ' +
    STREAM_NOTE,
  auth: 'public',
  tenancy: 'public',
  params: Type.Object({ did: Type.String({ minLength: 1, maxLength: 512, description: 'A DID, encoded or raw' }) }),
  querystring: Type.Object({
    at: AtQuery.properties.at,
    cursor: Type.Optional(Type.String({ maxLength: 500, description: 'next of the page before' })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: `${LIMIT} when left out; of a page, not of a stream` }),
    ),
  }),
  response: {
    200: Type.Unsafe<Static<typeof Page> | Readable>(Page),
  },
  mediaTypes: LIST_TYPES,
  errors: ['ledger_unavailable'],
  limits: { concurrencyPerAddress: 8 },
  handler: async (ctx, { params, query: { at: requested, cursor, limit } }) => {
    const did = namedDid(params.did, 'did')
    const asked = ['rights', did]
    const stream = wantedStream(ctx, { limit, cursor })
    const after = cursor === undefined ? undefined : keyOfCursor(asked, cursor)
    const at = await answerAt(ctx, requested)
    if (stream !== undefined)
      return streamedList(ctx, stream, { columns: columnsOf(Right), chunks: allRights(ctx, did, at) })
    const { list, hasMore } = await didRightsAt(ctx.index, did, { at, first: limit ?? LIMIT, after })
    const last = list.at(-1)
    return {
      list: await told(ctx, list),
      next: hasMore && last !== undefined ? cursorAfter(asked, keyOfRight(last)) : null,
    }
  },
})

async function* allRights(ctx: PublicContext, did: Did, at: At): AsyncGenerator<Static<typeof Right>[]> {
  for (let after: string | undefined, more = true; more; ) {
    const { list, hasMore } = await didRightsAt(ctx.index, did, { at, first: STREAM_CHUNK, after })
    yield await told(ctx, list)
    const last = list.at(-1)
    after = last && keyOfRight(last)
    more = hasMore
  }
}

async function told(ctx: PublicContext, rights: readonly DidRight[]): Promise<Static<typeof Right>[]> {
  const uriOf = await schemaUris(
    ctx,
    rights.map(({ schemaId }) => schemaId),
  )
  return rights.map(({ via, since, event, ...right }) => {
    const schemaUri = uriOf(right.schemaId)
    return {
      ...right,
      ...(schemaUri !== undefined && { schemaUri }),
      direct: via === null,
      ...(via !== null && { via }),
      since: since.toISOString(),
      ...(event !== null && { event }),
    }
  })
}
