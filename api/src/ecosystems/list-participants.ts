import { Type } from 'typebox'
import { askedDid } from '../dids/did-param.js'
import { AtQuery } from '../ledger/at.js'
import { schemaRefText } from '../platform/identifiers.js'
import { operation } from '../platform/operation.js'
import { pageQuery } from '../platform/pagination.js'
import { SearchText, wordsOf } from '../platform/search.js'
import { visibleRegistry } from './access.js'
import { participantsOf } from './participant.queries.js'
import { Participant } from './participant.shape.js'
import { participantView } from './participant.view.js'
import { readPoint } from './read-point.js'
import { parseSchemaRef } from './schema-ref.js'
import { registryRef } from './slug.js'
import { RegistryParams } from './trust-registry.shape.js'

export const listParticipants = operation({
  method: 'GET',
  url: '/trust-registries/:registryId/participants',
  operationId: 'listParticipants',
  tags: ['trustRegistries'],
  summary: 'List the participants of a trust registry that you own or take part in',
  description:
    'Newest first. Those who are listed on the ledger and never accepted an invitation here have `accepted: false`. Those who are suspended or whose DID is deactivated are listed, and counted in `total`, like all others.',
  auth: 'key',
  tenancy: 'shared',
  params: RegistryParams,
  querystring: Type.Object({
    ...pageQuery().properties,
    ...AtQuery.properties,
    did: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'Only this DID' })),
    search: Type.Optional(SearchText),
    schemaId: Type.Optional(schemaRefText('Only who issues or verifies this schema: its URI or its hash')),
  }),
  response: {
    200: Type.Object({
      total: Type.Integer({ description: 'How many there are, on all pages' }),
      list: Type.Array(Participant, { description: 'This page of them' }),
    }),
  },
  errors: ['not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, query: { at, schemaId, search, did: whose, ...page } }) => {
    const schema = schemaId === undefined ? undefined : parseSchemaRef(schemaId, 'schemaId').hash
    const did = whose === undefined ? undefined : askedDid(whose, 'did')
    const words = wordsOf(search)
    const point = await readPoint(ctx, at)
    const { registry } = await visibleRegistry(ctx, registryRef(params.registryId), point)
    const { total, list } = await ctx.db.read(ctx.scope, (reader) =>
      participantsOf(reader, point, registry.id, page, { schema, did, words }),
    )
    return { total, list: list.map(participantView) }
  },
})
