import { parseHex32 } from '@accredit/chain'
import { Type } from 'typebox'
import { answerAt } from '../ledger/read/at.js'
import { revocationRegistryAt } from '../ledger/read/status-list.js'
import { invalid, notFound } from '../platform/errors.js'
import { operation } from '../platform/http/operation.js'
import { findEntries } from '../status/entries.store.js'
import { findRegistry } from '../status/registry.store.js'
import { StatusParams } from './get-revocation-status.js'
import { methodOf } from './method-of.js'

export const getRevocationWitness = operation({
  method: 'GET',
  url: '/revocationStatus/:regId/:revId/witness',
  operationId: 'getRevocationWitness',
  tags: ['revocationStatus'],
  summary: 'Get the witness of a member of an accumulator',
  description: 'Status lists have no witnesses: 400. Accumulators are not available yet.',
  auth: 'key',
  role: 'member',
  tenancy: 'public',
  params: StatusParams,
  response: { 200: Type.Object({ value: Type.String({ description: 'The witness' }) }) },
  errors: ['not_found', 'ledger_unavailable'],
  handler: async (ctx, { params }) => {
    const id = parseHex32(params.regId)
    if (!id) throw notFound('Registry')
    const row = await ctx.db.read(ctx.scope, (reader) => findRegistry(reader, id))
    const at = await answerAt(ctx, undefined)
    const state = await revocationRegistryAt(ctx.index, id, at)
    if (row?.status !== 'pending' && (!state || state.isRemoved)) throw notFound('Registry')
    const method = state && (row ? ctx.statusMethods.of(row) : await methodOf(ctx, state))
    if (state !== undefined && method?.witness !== undefined) {
      const [entry] = await ctx.db.read(ctx.scope, (reader) =>
        findEntries(reader, id, [parseHex32(params.revId) ?? '']),
      )
      if (entry === undefined) throw notFound('Credential')
      const witness = await method.witness(ctx, state, entry.index, at)
      if ('refused' in witness) throw invalid(witness.refused)
      return witness
    }
    if (state !== undefined && method === undefined) throw invalid('Witnesses of accumulators are not available yet')
    throw invalid(`A registry of type ${row?.type ?? 'StatusList2021Entry'} has no witnesses`)
  },
})
