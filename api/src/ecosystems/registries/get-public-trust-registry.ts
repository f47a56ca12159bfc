import { AtQuery } from '../../ledger/read/at.js'
import { operation } from '../../platform/http/operation.js'
import { readPoint } from '../read-point.js'
import { registryNotFound } from './access.js'
import { registryAt } from './registry.queries.js'
import { publicRegistryView } from './registry.view.js'
import { registryRef } from './slug.js'
import { PublicTrustRegistry, RegistryParams } from './trust-registry.shape.js'

export const getPublicTrustRegistry = operation({
  method: 'GET',
  url: '/trust-registries/:registryId/public',
  operationId: 'getPublicTrustRegistry',
  tags: ['trustRegistries'],
  summary: 'Get what anyone may see of a trust registry',
  description:
    'The ledger holds this address with a digest: the SHA-256 of governanceFrameworkVersion, a line feed and governanceFramework.',
  auth: 'public',
  tenancy: 'public',
  params: RegistryParams,
  querystring: AtQuery,
  response: { 200: PublicTrustRegistry },
  errors: ['not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, query }) => {
    const point = await readPoint(ctx, query.at)
    const row = await ctx.db.read(ctx.scope, (reader) => registryAt(reader, point, registryRef(params.registryId)))
    if (!row) throw registryNotFound()
    return publicRegistryView(row)
  },
})
