import { parseHex32 } from '@accredit/chain'
import { Type } from 'typebox'
import { AtQuery, answerAt } from '../ledger/read/at.js'
import { revocationRegistryAt } from '../ledger/read/status-list.js'
import { ApiError, invalid, notFound } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { operation } from '../platform/http/operation.js'
import { findEntries } from '../status/entries.store.js'
import { findRegistry } from '../status/registry.store.js'
import { StatusParams } from './get-revocation-status.js'
import { methodOf } from './method-of.js'

const Query = Type.Object({
  ...AtQuery.properties,
  version: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 4_294_967_295,
      description: 'The version of the registry that the witness is for. Default: the last one at that point',
    }),
  ),
  index: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 4_294_967_295,
      description: 'The revocationId of the credential, where several have the same id',
    }),
  ),
})

const Witness = Type.Object({
  value: Type.String({ description: 'The witness, 0x and 48 bytes' }),
  accumulated: Type.String({ description: 'The value of the registry that it is for' }),
  version: Type.Integer({ description: 'The version of the registry that it is for' }),
  block: Type.Integer({ description: 'The block that made this version' }),
})

export const getRevocationWitness = operation({
  method: 'GET',
  url: '/revocationStatus/:regId/:revId/witness',
  operationId: 'getRevocationWitness',
  tags: ['revocationStatus'],
  summary: 'Get the witness of a member of an accumulator',
  description:
    'With its witness the holder of a credential proves that it is not revoked. A witness is good for one version of the registry: a holder brings it to a later one with GET /registries/{id}/updates, or asks here again. 400 for a credential that is revoked in that version, and for registries of other types, which have no witnesses.',
  auth: 'key',
  role: 'member',
  tenancy: 'public',
  params: StatusParams,
  querystring: Query,
  response: { 200: Witness },
  errors: ['status_not_found_yet', 'not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, query }) => {
    const id = parseHex32(params.regId)
    if (!id) throw notFound('Registry')
    const row = await ctx.db.read(ctx.scope, (reader) => findRegistry(reader, id))
    const at = await answerAt(ctx, query.at)
    const state = await revocationRegistryAt(ctx.index, id, at)
    if (row?.status !== 'pending' && (!state || state.isRemoved)) throw notFound('Registry')
    const method = row ? ctx.statusMethods.of(row) : state && (await methodOf(ctx, state))
    if (method?.witness === undefined)
      throw invalid(`A registry of type ${row?.type ?? 'StatusList2021Entry'} has no witnesses`)
    if (state === undefined) throw new ApiError('status_not_found_yet', 'The registry is not on the ledger yet')
    const index = await indexOf(ctx, id, parseHex32(params.revId), query.index)
    const witness = await method.witness(ctx, state, index, { at, version: query.version })
    if ('refused' in witness) throw invalid(witness.refused)
    return witness
  },
})

async function indexOf(
  ctx: Context,
  registryId: string,
  revocationId: string | undefined,
  wanted: number | undefined,
): Promise<number> {
  const entries = await ctx.db.read(ctx.scope, (reader) => findEntries(reader, registryId, [revocationId ?? '']))
  const named = wanted === undefined ? entries : entries.filter(({ index }) => index === wanted)
  const [first] = named
  if (first === undefined) throw notFound('Credential')
  if (named.length > 1) throw invalid('Several credentials have this id: name the revocationId of one as index')
  return first.index
}
