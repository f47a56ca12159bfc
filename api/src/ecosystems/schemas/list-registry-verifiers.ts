import { Type } from 'typebox'
import { namedDid } from '../../dids/did-param.js'
import { AtQuery } from '../../ledger/read/at.js'
import { verifiersAt } from '../../ledger/read/participants/participant-entries.js'
import { schemaRefText } from '../../platform/http/identifiers.js'
import { operation } from '../../platform/http/operation.js'
import { parseSchemaRef } from '../names/schema-ref.js'
import { readPoint } from '../read-point.js'
import { registryNotFound } from '../registries/access.js'
import { registryAt } from '../registries/registry.queries.js'
import { registryRef } from '../registries/slug.js'
import { RegistryParams } from '../registries/trust-registry.shape.js'

export const listRegistryVerifiers = operation({
  method: 'GET',
  url: '/trust-registries/:registryId/verifiers',
  operationId: 'listRegistryVerifiers',
  tags: ['trustRegistries'],
  summary: 'List who is named as a verifier of a schema in a trust registry',
  description:
    'Everyone who is listed, suspended or not, unless its DID is deactivated; for whether one may verify, and for public schemas, ask for its authorization.',
  auth: 'public',
  tenancy: 'public',
  params: RegistryParams,
  querystring: Type.Object({
    ...AtQuery.properties,
    schemaId: schemaRefText(),
    issuerDID: Type.Optional(Type.String({ maxLength: 512, description: 'Only if this DID issues the schema there' })),
  }),
  response: { 200: Type.Array(Type.String()) },
  errors: ['not_found', 'ledger_unavailable'],
  limits: { concurrencyPerAddress: 16 },
  handler: async (ctx, { params, query }) => {
    const { hash } = parseSchemaRef(query.schemaId, 'schemaId')
    const issuer = query.issuerDID === undefined ? undefined : namedDid(query.issuerDID, 'issuerDID')
    const point = await readPoint(ctx, query.at)
    return ctx.db.read(ctx.scope, async (reader) => {
      const registry = await registryAt(reader, point, registryRef(params.registryId))
      if (!registry) throw registryNotFound()
      return verifiersAt(reader, point, registry.id, hash, issuer)
    })
  },
})
