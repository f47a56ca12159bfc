import type { At } from '../ledger/read/at.js'
import { operation } from '../platform/http/operation.js'
import { LIST_TYPES, STREAM_NOTE } from '../platform/http/streamed-list.js'
import { answerHistory, HistoryAnswer, HistoryQuery } from './history-answer.js'
import { RegistryParams, registryExists, registryIdOf, registryNotFound } from './registry-param.js'

export const listTrustRegistryHistory = operation({
  method: 'GET',
  url: '/trust-registries/:registryId/history',
  operationId: 'listTrustRegistryHistory',
  tags: ['trustRegistries'],
  summary: 'List what happened in a trust registry',
  description: `The events of a registry: who did what, when, by which key. ${STREAM_NOTE}`,
  auth: 'public',
  tenancy: 'public',
  mayBeStale: true,
  params: RegistryParams,
  querystring: HistoryQuery,
  response: { 200: HistoryAnswer },
  mediaTypes: LIST_TYPES,
  errors: ['not_found', 'ledger_unavailable'],
  limits: { concurrencyPerAddress: 8 },
  handler: (ctx, { params, query }) => {
    const subjectAt = async (at: At) => {
      const trustRegistryId = await registryIdOf(ctx, params.registryId, at)
      if (trustRegistryId === undefined) throw registryNotFound()
      return { trustRegistryId }
    }
    return answerHistory(ctx, query, subjectAt, async ({ trustRegistryId = '' }, at) =>
      registryExists(ctx, trustRegistryId, at),
    )
  },
})
