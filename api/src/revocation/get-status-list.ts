import { Type } from 'typebox'
import { AtQuery, answerAt } from '../ledger/at.js'
import { statusListAt } from '../ledger/status-list.js'
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
  description: 'The StatusList2021Credential that credentials name as statusListCredential, derived from the ledger.',
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
    const list = await statusListAt(ctx.index, id, at)
    if (!list || list.removed) throw notFound('Status list')
    const document = await statusListCredential(ctx, id, list, await blockTime(ctx.index, list.changedAt))
    if (document === undefined) throw notFound('Status list')
    ctx.reply.type('application/json; charset=utf-8')
    return document
  },
})
