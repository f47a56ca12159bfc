import { Type } from 'typebox'
import { AtQuery, resolveAt, sendAt } from '../ledger/at.js'
import { type RevocationRegistryState, revocationRegistryAt } from '../ledger/status-list.js'
import type { AnyContext } from '../platform/context.js'
import { notFound } from '../platform/errors.js'
import { operation } from '../platform/operation.js'
import { blockTime } from './block-time.js'
import { RegistryId, RegistryRecord, registryRecord } from './registry.shape.js'
import { findRegistry } from './registry.store.js'
import { bareHex, parseId } from './revocation-id.js'

export const getRegistry = operation({
  method: 'GET',
  url: '/registries/:id',
  operationId: 'getRegistry',
  tags: ['registries'],
  summary: 'Get a revocation registry',
  description: 'Registries are public facts of the ledger: any key may read any of them, also those made elsewhere.',
  auth: 'key',
  tenancy: 'public',
  params: Type.Object({ id: RegistryId }),
  querystring: AtQuery,
  response: { 200: RegistryRecord },
  codes: [400, 402, 404, 503],
  handler: async (ctx, { params, query }) => {
    const id = parseId(params.id)
    if (!id) throw notFound('Registry')
    const row = await ctx.db.read(ctx.scope, (reader) => findRegistry(reader, id))
    // Ours may be ahead of the ledger.
    return row && query.at === undefined ? registryRecord(row) : fromLedger(ctx, id, query.at)
  },
})

async function fromLedger(ctx: AnyContext, id: string, requested: string | undefined) {
  const at = await resolveAt(ctx.index, requested, ctx.clock)
  const state = await revocationRegistryAt(ctx.index, id, at)
  if (!state || state.isRemoved) throw notFound('Registry')
  sendAt(ctx, at)
  return ledgerRecord(state, await blockTime(ctx.index, state.createdBlock))
}

const ledgerRecord = ({ registryId, policy, addOnly, kind }: RevocationRegistryState, created: Date) => ({
  id: bareHex(registryId),
  policy_and_type: { type: 'OneOf' as const, policy, addOnly },
  registry_type: kind === 'StatusList' ? ('StatusList2021Entry' as const) : ('DockVBAccumulator2022' as const),
  created_at: created.toISOString(),
  job_id: null,
})
