import { parseHex32 } from '@accredit/chain'
import { revocationRegistryAt } from '../ledger/read/status-list.js'
import { notFound } from '../platform/errors.js'
import { operation } from '../platform/http/operation.js'
import { LIST_TYPES, STREAM_NOTE } from '../platform/http/streamed-list.js'
import { answerHistory, HistoryAnswer, HistoryQuery } from './history-answer.js'
import { RevocationRegistryParams } from './registry-param.js'

export const listRegistryHistory = operation({
  method: 'GET',
  url: '/registries/:id/history',
  operationId: 'listRegistryHistory',
  tags: ['registries'],
  summary: 'List what happened in a revocation registry',
  description: `The indexes that were revoked and unrevoked, by whom and when. ${STREAM_NOTE}`,
  auth: 'public',
  tenancy: 'public',
  mayBeStale: true,
  params: RevocationRegistryParams,
  querystring: HistoryQuery,
  response: { 200: HistoryAnswer },
  mediaTypes: LIST_TYPES,
  errors: ['not_found', 'ledger_unavailable'],
  limits: { concurrencyPerAddress: 8 },
  handler: (ctx, { params, query }) =>
    answerHistory(ctx, query, async (at) => {
      const revocationRegistryId = parseHex32(params.id)
      if (revocationRegistryId === undefined) throw notFound('Registry')
      if (!(await revocationRegistryAt(ctx.index, revocationRegistryId, at))) throw notFound('Registry')
      return { revocationRegistryId }
    }),
})
