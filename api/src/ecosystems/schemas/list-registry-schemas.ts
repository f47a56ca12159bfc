import { Type } from 'typebox'
import { AtQuery } from '../../ledger/read/at.js'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { ofDids, participantsAt } from '../participants/participant.queries.js'
import { Participant } from '../participants/participant.shape.js'
import { participantView } from '../participants/participant.view.js'
import { pricesAt } from '../prices/price.queries.js'
import { Price } from '../prices/price.shape.js'
import { priceView } from '../prices/price.view.js'
import { readPoint } from '../read-point.js'
import { visibleRegistry } from '../registries/access.js'
import { registryRef } from '../registries/slug.js'
import { RegistryParams } from '../registries/trust-registry.shape.js'
import { registrySchemasAt } from './registry-schemas.queries.js'

/** The most prices that are shown with a schema. */
const PRICES_OF_EACH = 64

const TrustRegistrySchema = Type.Object({
  id: Type.String({ description: 'The URI, or the hash of a schema that is known only to the ledger' }),
  schemaId: Type.String({ description: 'The hash by which the ledger knows it' }),
  name: Type.String({ description: 'Its name; the hash when none is known' }),
  participantCount: Type.Integer({
    description:
      'The participants that are listed for it, each once; those who are suspended or whose DID is deactivated count',
  }),
  topParticipants: Type.Array(Participant, { description: 'The first of its participants' }),
  public: Type.Boolean({ description: 'Anyone may verify it' }),
  prices: Type.Array(Price, {
    description: `The prices of verifying it, by issuer and currency, without issuers whose DID is deactivated: the first ${PRICES_OF_EACH}; GET /trust-registries/schema-prices has all`,
  }),
})

export const listRegistrySchemas = operation({
  method: 'GET',
  url: '/trust-registries/:registryId/schemas',
  operationId: 'listRegistrySchemas',
  tags: ['trustRegistries'],
  summary: 'List the schemas of a trust registry that you own or take part in',
  auth: 'key',
  role: 'member',
  tenancy: 'shared',
  params: RegistryParams,
  querystring: Type.Object({
    ...pageQuery().properties,
    ...AtQuery.properties,
    participants: Type.Integer({
      minimum: 1,
      maximum: 64,
      default: 5,
      description: 'The number of participants of each to show',
    }),
  }),
  response: {
    200: Type.Object({
      total: Type.Integer({ description: 'The number of entries, on all pages' }),
      list: Type.Array(TrustRegistrySchema, { description: 'This page of them' }),
    }),
  },
  errors: ['not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, query: { at, participants, ...page } }) => {
    const point = await readPoint(ctx, at)
    const { registry } = await visibleRegistry(ctx, registryRef(params.registryId), point)
    return ctx.db.read(ctx.scope, async (reader) => {
      const { total, list } = await registrySchemasAt(reader, point, registry.id, page, participants)
      const dids = [...new Set(list.flatMap(({ top }) => top))]
      const all = { offset: 0, limit: dids.length }
      const known = (await participantsAt(reader, point, ofDids(registry.id, dids), all)).list
      const schemas = list.map(({ hash }) => hash)
      const asked = { schemas, registry: registry.id, team: ctx.team, ofEach: PRICES_OF_EACH }
      const prices = await pricesAt(reader, point, asked, { offset: 0, limit: schemas.length * PRICES_OF_EACH })
      const views = new Map(known.map((row) => [row.did, participantView(row)]))
      return {
        total,
        list: list.map((row) => ({
          id: row.id,
          schemaId: row.hash,
          name: row.name,
          participantCount: row.participants,
          topParticipants: row.top.flatMap((did) => views.get(did) ?? []),
          public: row.is_public,
          prices: prices.filter(({ schema_id }) => schema_id === row.hash).map(priceView),
        })),
      }
    })
  },
})
