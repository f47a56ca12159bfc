import { AtQuery } from '../../ledger/read/at.js'
import { summaryOf } from '../../ledger/read/registries/registry-states.js'
import { PENDING_HEADER } from '../../ledger/write/wait-for-job.js'
import type { Context } from '../../platform/http/context.js'
import { operation } from '../../platform/http/operation.js'
import { profileOf } from '../../profiles/profile.store.js'
import { readPoint } from '../read-point.js'
import { visibleRegistry } from './access.js'
import { ownPendingRegistry } from './registry.store.js'
import { pendingRegistryView, registryView, tagged } from './registry.view.js'
import { registryRef } from './slug.js'
import { RegistryParams, TrustRegistry } from './trust-registry.shape.js'

export const getTrustRegistry = operation({
  method: 'GET',
  url: '/trust-registries/:registryId',
  operationId: 'getTrustRegistry',
  tags: ['trustRegistries'],
  summary: 'Get a trust registry that you own or take part in',
  auth: 'key',
  role: 'member',
  tenancy: 'shared',
  tagged: true,
  params: RegistryParams,
  querystring: AtQuery,
  response: { 200: TrustRegistry },
  errors: ['not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, query }) => {
    const ref = registryRef(params.registryId)
    const pending = query.at === undefined ? await ownPending(ctx, ref) : undefined
    if (pending) return pending
    const { point, registry, standing } = await visibleRegistry(ctx, ref, await readPoint(ctx, query.at))
    const summary = await ctx.db.read(ctx.scope, (reader) => summaryOf(reader, point, registry.id))
    return tagged(ctx, registryView(registry, standing.is_owner, summary))
  },
})

/** Returns the registry as it was accepted, before the ledger has it. */
async function ownPending(ctx: Context, ref: ReturnType<typeof registryRef>): Promise<TrustRegistry | undefined> {
  const found = await ctx.db.read(ctx.scope, async (reader) => {
    const row = await ownPendingRegistry(reader, ctx.team, ref)
    return row && { row, profile: await profileOf(reader, row.convener) }
  })
  if (!found) return undefined
  ctx.reply.header(PENDING_HEADER, 'true')
  return pendingRegistryView(found.row, found.profile)
}
