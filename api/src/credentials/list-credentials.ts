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
import { credentialsBefore, listCredentials as list } from './credential.store.js'
import { metadataOf } from './credential-metadata.js'
import { revokedAmong } from './revoked.js'

const List = Type.Array(CredentialMetadata)

export const listCredentials = operation({
  method: 'GET',
  url: '/credentials',
  operationId: 'listCredentials',
  tags: ['credentials'],
  summary: 'List the credentials that you issued',
  description: `Newest first. ${STREAM_NOTE}`,
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
  }),
  response: { 200: Type.Unsafe<Static<typeof List> | Readable>(List) },
  mediaTypes: LIST_TYPES,
  limits: { streamsPerAddress: 4 },
  errors: ['ledger_unavailable'],
  handler: async (ctx, { query: { filter, ...page } }) => {
    const stream = wantedStream(ctx, page)
    if (stream !== undefined)
      return streamedList(ctx, stream, { columns: columnsOf(CredentialMetadata), chunks: allCredentials(ctx, filter) })
    const rows = await ctx.db.read(ctx.scope, (reader) => list(reader, ctx.team, filter, pageOf(page)))
    const isRevoked = await revokedAmong(ctx, rows)
    return rows.map((row) => metadataOf(row, isRevoked(row)))
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
