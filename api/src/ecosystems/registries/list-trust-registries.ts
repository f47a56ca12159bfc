import { Type } from 'typebox'
import { AtQuery } from '../../ledger/read/at.js'
import { summariesOf } from '../../ledger/read/registries/registry-states.js'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { profileOf } from '../../profiles/profile.store.js'
import { readPoint } from '../read-point.js'
import { ownedBy, registriesAt } from './registry.queries.js'
import { ownPendingRegistries } from './registry.store.js'
import { pendingRegistryView, registryView } from './registry.view.js'
import { TrustRegistry } from './trust-registry.shape.js'

export const listTrustRegistries = operation({
  method: 'GET',
  url: '/trust-registries',
  operationId: 'listTrustRegistries',
  tags: ['trustRegistries'],
  summary: 'List the trust registries that you own',
  description: 'Newest first. Those you take part in stand in GET /dids/{did}/ecosystems.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  querystring: Type.Object({ ...pageQuery().properties, ...AtQuery.properties }),
  response: { 200: Type.Array(TrustRegistry) },
  errors: ['ledger_unavailable'],
  handler: async (ctx, { query: { offset, limit, at } }) => {
    const point = await readPoint(ctx, at)
    return ctx.db.read(ctx.scope, async (reader) => {
      const pending = at === undefined ? await ownPendingRegistries(reader, ctx.team, point) : []
      const onTop = pending.slice(offset, offset + limit)
      const page = { offset: Math.max(0, offset - pending.length), limit: limit - onTop.length }
      const list = await registriesAt(reader, point, ownedBy(ctx.team), page)
      const ids = list.map(({ id }) => id)
      const summaries = await summariesOf(reader, point, ids)
      const conveners = await Promise.all(onTop.map(({ convener }) => profileOf(reader, convener)))
      return [
        ...onTop.map((row, index) => pendingRegistryView(row, conveners[index])),
        ...list.map((row) => registryView(row, true, summaries(row.id))),
      ]
    })
  },
})
