import type { Readable } from 'node:stream'
import type { Hex32 } from '@accredit/chain'
import { type Static, Type } from 'typebox'
import { namedDid } from '../../dids/did-param.js'
import { AtQuery } from '../../ledger/read/at.js'
import type { Context } from '../../platform/http/context.js'
import { schemaRefText } from '../../platform/http/identifiers.js'
import { operation } from '../../platform/http/operation.js'
import { pageOf, pageOfStream } from '../../platform/http/pagination.js'
import { SearchText, wordsOf } from '../../platform/http/search.js'
import {
  columnsOf,
  LIST_TYPES,
  STREAM_CHUNK,
  STREAM_NOTE,
  streamedList,
  wantedStream,
} from '../../platform/http/streamed-list.js'
import { parseSchemaRef } from '../names/schema-ref.js'
import { type ReadPoint, readPoint } from '../read-point.js'
import { visibleRegistry } from '../registries/access.js'
import { registryRef } from '../registries/slug.js'
import { RegistryParams } from '../registries/trust-registry.shape.js'
import { participantsOf, type Wanted } from './participant.queries.js'
import { Participant } from './participant.shape.js'
import { participantView } from './participant.view.js'

const List = Type.Object({
  total: Type.Integer({ description: 'The number of entries, on all pages' }),
  list: Type.Array(Participant, { description: 'This page of them' }),
})

export const listParticipants = operation({
  method: 'GET',
  url: '/trust-registries/:registryId/participants',
  operationId: 'listParticipants',
  tags: ['trustRegistries'],
  summary: 'List the participants of a trust registry that you own or take part in',
  description:
    'Newest first. Those who are listed on the ledger and never accepted an invitation here have `accepted: false`. Those who are suspended or whose DID is deactivated are listed, and counted in `total`, like all others. ' +
    STREAM_NOTE,
  auth: 'key',
  role: 'member',
  tenancy: 'shared',
  params: RegistryParams,
  querystring: Type.Object({
    ...pageOfStream(),
    ...AtQuery.properties,
    did: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'Only this DID' })),
    search: Type.Optional(SearchText),
    schemaId: Type.Optional(schemaRefText('Only who issues or verifies this schema: its URI or its hash')),
  }),
  response: { 200: Type.Unsafe<Static<typeof List> | Readable>(List) },
  mediaTypes: LIST_TYPES,
  limits: { streamsPerAddress: 4 },
  errors: ['not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, query: { at, schemaId, search, did: whose, ...page } }) => {
    const stream = wantedStream(ctx, page)
    const schema = schemaId === undefined ? undefined : parseSchemaRef(schemaId, 'schemaId').hash
    const did = whose === undefined ? undefined : namedDid(whose, 'did')
    const filter = { schema, did, words: wordsOf(search) }
    const point = await readPoint(ctx, at)
    const { registry } = await visibleRegistry(ctx, registryRef(params.registryId), point)
    if (stream !== undefined)
      return streamedList(ctx, stream, {
        columns: columnsOf(Participant),
        chunks: allParticipants(ctx, point, registry.id, filter),
      })
    const { total, list } = await ctx.db.read(ctx.scope, (reader) =>
      participantsOf(reader, point, registry.id, pageOf(page), filter),
    )
    return { total, list: list.map(participantView) }
  },
})

/** Lists do not change at one point in time, so that pages of them neither skip nor repeat. */
async function* allParticipants(
  ctx: Context,
  point: ReadPoint,
  registry: Hex32,
  filter: Wanted,
): AsyncGenerator<Participant[]> {
  for (let offset = 0; ; offset += STREAM_CHUNK) {
    const page = { offset, limit: STREAM_CHUNK }
    const { total, list } = await ctx.db.read(ctx.scope, (reader) =>
      participantsOf(reader, point, registry, page, filter),
    )
    yield list.map(participantView)
    if (offset + STREAM_CHUNK >= total) return
  }
}
