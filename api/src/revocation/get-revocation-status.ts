import { parseHex32 } from '@accredit/chain'
import { Type } from 'typebox'
import { type At, AtQuery, answerAt } from '../ledger/read/at.js'
import { setBitsAt } from '../ledger/read/set-bits.js'
import { revocationRegistryAt } from '../ledger/read/status-list.js'
import { ApiError, notFound } from '../platform/errors.js'
import type { AnyContext } from '../platform/http/context.js'
import { operation } from '../platform/http/operation.js'
import { findEntries, type StatusEntry } from '../status/entries.store.js'
import { findRegistry } from '../status/registry.store.js'
import { RegistryId, RevocationId } from './registry.shape.js'

export const StatusParams = Type.Object({ regId: RegistryId, revId: RevocationId })

export const getRevocationStatus = operation({
  method: 'GET',
  url: '/revocationStatus/:regId/:revId',
  operationId: 'getRevocationStatus',
  tags: ['revocationStatus'],
  summary: 'Tell whether a credential is revoked',
  description:
    'revId is blake2b-256 of the credential id, as revoking answers it; 0x in front is understood. 400 status_not_found_yet when it was neither revoked nor unrevoked yet.',
  auth: 'key',
  role: 'member',
  tenancy: 'public',
  params: StatusParams,
  querystring: AtQuery,
  response: { 200: Type.Object({ type: Type.Boolean({ description: 'true: revoked' }) }) },
  errors: ['status_not_found_yet', 'not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, query }) => {
    const [registryId, revocationId] = [parseHex32(params.regId), parseHex32(params.revId)]
    if (!registryId || !revocationId) throw notFound('Registry')
    const at = await answerAt(ctx, query.at)
    await mustExist(ctx, registryId, at)
    const entries = await ctx.db.read(ctx.scope, (reader) => findEntries(reader, registryId, [revocationId]))
    const set = await setBitsAt(ctx.index, entries, at)
    if (set.size === 0 && !entries.some((entry) => wasTouched(entry, at)))
      throw new ApiError('status_not_found_yet', 'This id was neither revoked nor unrevoked in the registry yet')
    return { type: set.size > 0 }
  },
})

const wasTouched = ({ touched }: StatusEntry, { instant }: At): boolean => touched !== null && touched <= instant

/** A pending registry has revoked nothing yet; an unknown or removed one is a 404. */
async function mustExist(ctx: AnyContext, registryId: string, at: At): Promise<void> {
  const onLedger = await revocationRegistryAt(ctx.index, registryId, at)
  if (onLedger) {
    if (onLedger.isRemoved) throw notFound('Registry')
    return
  }
  const pending = await ctx.db.read(ctx.scope, (reader) => findRegistry(reader, registryId))
  if (!pending) throw notFound('Registry')
  throw new ApiError('status_not_found_yet', 'The registry is not on the ledger yet')
}
