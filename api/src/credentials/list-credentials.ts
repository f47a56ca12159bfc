import type { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import type { Context } from '../platform/http/context.js'
import { operation } from '../platform/http/operation.js'
import { pageOf, pageOfStream } from '../platform/http/pagination.js'
import {
  columnsOf,
  LIST_TYPES,
  STREAM_CHUNK,
  STREAM_NOTE,
  streamedList,
  wantedStream,
} from '../platform/http/streamed-list.js'
import { CredentialMetadata } from './credential.shape.js'
import {
  countCredentials,
  credentialsBefore,
  listCredentials as list,
  type Order,
  SORTED_BY,
} from './credential.store.js'
import { metadataOf } from './credential-metadata.js'
import { revokedAmong } from './revoked.js'

const List = Type.Array(CredentialMetadata)
const Counted = Type.Object({
  total: Type.Integer({ description: 'The number of credentials that match' }),
  list: Type.Array(CredentialMetadata, { description: 'Those of this page' }),
})
const Answer = Type.Union([List, Counted])

const NEWEST: Order = { sort: 'createdAt', order: 'desc' }

export const listCredentials = operation({
  method: 'GET',
  url: '/credentials',
  operationId: 'listCredentials',
  tags: ['credentials'],
  summary: 'List the credentials that you issued',
  description: `Newest first, unless \`sort\` and \`order\` say otherwise. ${STREAM_NOTE}`,
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  querystring: Type.Object({
    ...pageOfStream(100),
    filter: Type.Optional(
      Type.String({
        maxLength: 512,
        description: 'Text to find in id, subject reference, issuer, type, or in the date of creation or issue',
      }),
    ),
    sort: Type.Optional(
      Type.Enum(Object.keys(SORTED_BY) as Order['sort'][], {
        description: 'The order of a page; createdAt when left out. A stream has its own',
      }),
    ),
    order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'desc when left out. Of a page, not of a stream' })),
    newFormat: Type.Optional(
      Type.Boolean({
        description: 'true: `{ total, list }` instead of the list alone. Of a page, not of a stream',
      }),
    ),
  }),
  response: { 200: Type.Unsafe<Static<typeof Answer> | Readable>(Answer) },
  mediaTypes: LIST_TYPES,
  limits: { streamsPerAddress: 4 },
  errors: ['ledger_unavailable'],
  handler: async (ctx, { query: { filter, ...page } }) => {
    const stream = wantedStream(ctx, page)
    if (stream !== undefined)
      return streamedList(ctx, stream, { columns: columnsOf(CredentialMetadata), chunks: allCredentials(ctx, filter) })
    const { newFormat, sort = NEWEST.sort, order = NEWEST.order } = page
    const { rows, total } = await ctx.db.read(ctx.scope, async (reader) => ({
      rows: await list(reader, ctx.team, filter, { ...pageOf(page), sort, order }),
      total: newFormat ? await countCredentials(reader, ctx.team, filter) : undefined,
    }))
    const isRevoked = await revokedAmong(ctx, rows)
    const metadata = rows.map((row) => metadataOf(row, isRevoked(row)))
    return total === undefined ? metadata : { total, list: metadata }
  },
})

async function* allCredentials(
  ctx: Context,
  filter: string | undefined,
): AsyncGenerator<Static<typeof CredentialMetadata>[]> {
  for (let before: number | undefined, more = true; more; ) {
    const piece = { before, limit: STREAM_CHUNK }
    const rows = await ctx.db.read(ctx.scope, (reader) => credentialsBefore(reader, ctx.team, filter, piece))
    const isRevoked = await revokedAmong(ctx, rows)
    yield rows.map((row) => metadataOf(row, isRevoked(row)))
    before = rows.at(-1)?.n
    more = rows.length === STREAM_CHUNK
  }
}
