import { parseHex32 } from '@accredit/chain'
import { Type } from 'typebox'
import { AtQuery, answerAt } from '../ledger/read/at.js'
import { blockTime } from '../ledger/read/blocks.js'
import { type RevocationRegistryState, revocationRegistryAt } from '../ledger/read/status-list.js'
import { PENDING_HEADER } from '../ledger/write/wait-for-job.js'
import { notFound } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { operation } from '../platform/http/operation.js'
import { USUAL_TERMS } from '../status/list-terms.js'
import { findRegistry } from '../status/registry.store.js'
import { bareHex } from '../status/revocation-id.js'
import { RegistryId, RegistryRecord, registryRecord, shownTerms } from './registry.shape.js'

export const getRegistry = operation({
  method: 'GET',
  url: '/registries/:id',
  operationId: 'getRegistry',
  tags: ['registries'],
  summary: 'Get a revocation registry',
  description: 'Registries are public facts of the ledger: any key may read any of them, also those made elsewhere.',
  auth: 'key',
  role: 'member',
  tenancy: 'public',
  params: Type.Object({ id: RegistryId }),
  querystring: AtQuery,
  response: { 200: RegistryRecord },
  errors: ['not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, query }) => {
    const id = parseHex32(params.id)
    if (!id) throw notFound('Registry')
    // Ours may be ahead of the ledger, and tells more.
    const row = query.at === undefined ? await ctx.db.read(ctx.scope, (reader) => findRegistry(reader, id)) : undefined
    if (row?.status === 'pending') {
      ctx.reply.header(PENDING_HEADER, 'true')
      return registryRecord(row)
    }
    const state = await revocationRegistryAt(ctx.index, id, await answerAt(ctx, query.at))
    if (!state || state.isRemoved) throw notFound('Registry')
    return row ? registryRecord(row) : ledgerRecord(ctx, state, await blockTime(ctx.index, state.createdBlock))
  },
})

const ledgerRecord = (
  { statusMethods }: Pick<Context, 'statusMethods'>,
  { registryId, policy, addOnly, kind }: RevocationRegistryState,
  created: Date,
) => ({
  id: bareHex(registryId),
  policy_and_type: { type: 'OneOf' as const, policy, addOnly },
  registry_type: statusMethods.typeOfKind(kind),
  ...shownTerms(USUAL_TERMS),
  created_at: created.toISOString(),
  job_id: null,
})
