import { Type } from 'typebox'
import { AtQuery, answerAt, sendAt } from '../ledger/at.js'
import { isStatusList, revocationRegistryAt } from '../ledger/status-list.js'
import { notFound } from '../platform/errors.js'
import { operation } from '../platform/operation.js'
import { blockTime } from './block-time.js'
import { RegistryId } from './registry.shape.js'
import { parseId } from './revocation-id.js'
import { statusListCredential } from './status-list-credential.js'

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
    'The StatusList2021Credential that credentials name as statusListCredential, derived from the ledger. Signed by the DID that made the registry; when that is gone, by the next DID of the policy that its team still has. When none is left, the last list stays, and Accredit-Block names the block that it is true for.',
  auth: 'public',
  tenancy: 'public',
  params: Type.Object({ id: RegistryId }),
  querystring: AtQuery,
  response: { 200: StatusListCredential },
  codes: [400, 404, 503],
  limits: { concurrencyPerAddress: 8 },
  handler: async (ctx, { params, query }) => {
    const id = parseId(params.id)
    if (!id) throw notFound('Status list')
    const at = await answerAt(ctx, query.at)
    const registry = await revocationRegistryAt(ctx.index, id, at)
    if (!registry || registry.isRemoved || !isStatusList(registry)) throw notFound('Status list')
    const list = await statusListCredential(ctx, registry, at)
    if (list === undefined) throw notFound('Status list')
    // Nobody is left to sign what came later: the answer is true for its own block.
    if (list.changedAt < registry.changedBlock)
      sendAt(ctx, { block: list.changedAt, time: await blockTime(ctx.index, list.changedAt) })
    ctx.reply.type('application/json; charset=utf-8')
    return list.document
  },
})
