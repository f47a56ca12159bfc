import { Type } from 'typebox'
import { namedDid } from '../../dids/did-param.js'
import { AtQuery } from '../../ledger/read/at.js'
import { among } from '../../ledger/read/registries/registry-states.js'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { readPoint } from '../read-point.js'
import { registriesAt } from '../registries/registry.queries.js'
import { publicRegistryView } from '../registries/registry.view.js'
import { PublicTrustRegistry } from '../registries/trust-registry.shape.js'
import { ofDid, participantsAt } from './participant.queries.js'
import { ParticipantInEcosystem } from './participant.shape.js'
import { membershipView } from './participant.view.js'

/** A trust registry and what one DID is in it. */
const EcosystemOfDid = Type.Object({ ...PublicTrustRegistry.properties, ...ParticipantInEcosystem })

export const listEcosystemsOfDid = operation({
  method: 'GET',
  url: '/dids/:did/ecosystems',
  operationId: 'listEcosystemsOfDid',
  tags: ['dids', 'trustRegistries'],
  summary: 'List the trust registries that a DID takes part in',
  description: 'Newest participation first. A DID that nobody knows takes part in none.',
  auth: 'public',
  tenancy: 'public',
  params: Type.Object({ did: Type.String({ minLength: 1, maxLength: 512, description: 'A DID, encoded or raw' }) }),
  querystring: Type.Object({ ...pageQuery().properties, ...AtQuery.properties }),
  response: {
    200: Type.Object({
      total: Type.Integer({ description: 'The number of entries, on all pages' }),
      list: Type.Array(EcosystemOfDid, { description: 'This page of them' }),
    }),
  },
  errors: ['ledger_unavailable'],
  limits: { concurrencyPerAddress: 16 },
  handler: async (ctx, { params, query: { at, ...page } }) => {
    const did = namedDid(params.did, 'did')
    const point = await readPoint(ctx, at)
    return ctx.db.read(ctx.scope, async (reader) => {
      const { total, list } = await participantsAt(reader, point, ofDid(did), page)
      const ids = list.map(({ registry_id }) => registry_id)
      const registries = await registriesAt(reader, point, among(ids), { offset: 0, limit: ids.length })
      const views = new Map(registries.map((row) => [row.id, publicRegistryView(row)]))
      const memberships = list.flatMap((row) => {
        const registry = views.get(row.registry_id)
        return registry ? [{ ...registry, ...membershipView(row) }] : []
      })
      return { total, list: memberships }
    })
  },
})
