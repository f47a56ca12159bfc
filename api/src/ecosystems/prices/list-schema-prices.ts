import type { Hex32 } from '@accredit/chain'
import { type Static, Type } from 'typebox'
import { namedDid } from '../../dids/did-param.js'
import { AtQuery } from '../../ledger/read/at.js'
import { among } from '../../ledger/read/registries/registry-states.js'
import { SchemaRefs } from '../../platform/http/identifiers.js'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { hashesOf, parseSchemaIds } from '../names/schema-ref.js'
import { readPoint } from '../read-point.js'
import { type RegistryRow, registriesAt } from '../registries/registry.queries.js'
import { publicRegistryView } from '../registries/registry.view.js'
import { type PriceRow, pricesAt } from './price.queries.js'
import { GenericPrice } from './price.shape.js'
import { priceView } from './price.view.js'

/** The offset has a limit, since skipped rows are read too, in every registry. */
const OFFSET_MAX = 10_000

export const listSchemaPrices = operation({
  method: 'GET',
  url: '/trust-registries/schema-prices',
  operationId: 'listSchemaPrices',
  tags: ['trustRegistries'],
  summary: 'Tell what verifying some schemas costs, in whichever trust registry',
  description:
    'Every schema that was named, each with its prices. `offset` and `limit` count prices over all of them, in the order of schemas (by hash), registries, issuers, verifiers (everybody first) and currencies. Issuers whose DID is deactivated have none.',
  auth: 'key',
  role: 'member',
  tenancy: 'public',
  querystring: Type.Object({
    ids: SchemaRefs,
    issuerDID: Type.Optional(Type.String({ maxLength: 512, description: 'Only prices of this issuer' })),
    ...pageQuery().properties,
    offset: Type.Integer({
      minimum: 0,
      maximum: OFFSET_MAX,
      default: 0,
      description: 'The number of entries to skip; for more than this, ask for one issuer',
    }),
    ...AtQuery.properties,
  }),
  response: {
    200: Type.Array(
      Type.Object({
        schema: Type.String({ description: 'The URI, or the hash' }),
        prices: Type.Array(GenericPrice, { description: 'The prices of verifying it' }),
      }),
    ),
  },
  errors: ['ledger_unavailable'],
  handler: async (ctx, { query: { ids, issuerDID, at, ...page } }) => {
    const refs = parseSchemaIds(ids)
    const issuer = issuerDID === undefined ? undefined : namedDid(issuerDID, 'issuerDID')
    const point = await readPoint(ctx, at)
    return ctx.db.read(ctx.scope, async (reader) => {
      const prices = await pricesAt(reader, point, { schemas: hashesOf(refs), issuer, team: ctx.team }, page)
      const registries = [...new Set(prices.map((price) => price.registry_id))]
      const all = { offset: 0, limit: registries.length }
      const list = await registriesAt(reader, point, among(registries), all)
      const byId = new Map(list.map((row) => [row.id, row]))
      return refs.map(({ hash, uri }) => ({ schema: uri ?? hash, prices: genericPrices(prices, hash, byId) }))
    })
  },
})

function genericPrices(
  prices: readonly PriceRow[],
  schema: Hex32,
  registries: ReadonlyMap<Hex32, RegistryRow>,
): Static<typeof GenericPrice>[] {
  return prices.flatMap((price) => {
    const registry = registries.get(price.registry_id)
    if (price.schema_id !== schema || registry === undefined) return []
    const { name, logoUrl, description, ecosystemUrl, governanceFramework, governanceFrameworkVersion } =
      publicRegistryView(registry)
    const texts = { name, logoUrl, description, ecosystemUrl, governanceFramework, governanceFrameworkVersion }
    return [{ ...priceView(price), trustRegistryId: registry.id, trustRegistryMetadata: texts }]
  })
}
