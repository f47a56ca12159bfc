import { parseHex32 } from '@accredit/chain'
import { Type } from 'typebox'
import { isUsable } from '../dids/did.store.js'
import { AtQuery, answerAt } from '../ledger/read/at.js'
import { type RevocationRegistryState, revocationRegistryAt } from '../ledger/read/status-list.js'
import { ApiError, notFound } from '../platform/errors.js'
import type { AnyContext } from '../platform/http/context.js'
import { operation } from '../platform/http/operation.js'
import { isKeptHere, listSigner } from './list-signer.js'
import { methodOf } from './method-of.js'
import { RegistryId } from './registry.shape.js'

// Sent as it was signed and kept: text.
const StatusListCredential = Type.Unsafe<string>(
  Type.Object({}, { description: 'A StatusList2021Credential', additionalProperties: true }),
)

export const getStatusList = operation({
  method: 'GET',
  url: '/status-lists/:id',
  operationId: 'getStatusList',
  tags: ['revocationStatus'],
  summary: 'Get the signed status list of a registry',
  description:
    'The StatusList2021Credential that credentials name as statusListCredential, derived from the ledger. One of the past has an expirationDate: the time of the block that changed it. Signed by the DID that made the registry; when that is gone, by the next DID of the policy that its team still has, or that moved to another team since. When none is left, the last list stays until the bits change; from that block on the answer is 503, and with `at` the list is there for the blocks before. When none was ever signed, or a key that was revoked signed it, the answer is 503 at every block.',
  auth: 'public',
  tenancy: 'public',
  params: Type.Object({ id: RegistryId }),
  querystring: AtQuery,
  response: { 200: StatusListCredential },
  errors: ['not_found', 'ledger_unavailable'],
  limits: { concurrencyPerAddress: 8 },
  handler: async (ctx, { params, query }) => {
    const id = parseHex32(params.id)
    if (!id) throw notFound('Status list')
    const at = await answerAt(ctx, query.at)
    const registry = await revocationRegistryAt(ctx.index, id, at)
    const method = registry && !registry.isRemoved ? await methodOf(ctx, registry) : undefined
    if (!registry || method?.publish === undefined) throw notFound('Status list')
    const list = await method.publish({ ...ctx, publisherOf: listSigner, isUsable }, registry, at)
    if (list === undefined) throw await nothingGood(ctx, registry)
    // An older list would show credentials as valid that were revoked since.
    if (list.changedAt < registry.changedBlock)
      throw new ApiError(
        'unavailable',
        `Nobody of the policy whose keys are here can sign the list as it is since block ${registry.changedBlock}; ask with ?at=${list.changedAt} for the last one that was signed`,
      )
    ctx.reply.type(list.mediaType)
    return list.document
  },
})

/**
 * A registry of others has no list here (404); one of ours whose signer is gone has a list that cannot be made any
 * more.
 */
async function nothingGood({ db }: AnyContext, registry: RevocationRegistryState): Promise<ApiError> {
  if (!(await db.read('system', (reader) => isKeptHere(reader, registry)))) return notFound('Status list')
  const reason =
    'Nobody of the policy whose keys are here can sign the list, and no version of it was ever signed with a key that still counts'
  return new ApiError('unavailable', reason)
}
