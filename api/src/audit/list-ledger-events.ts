import { operation } from '../platform/http/operation.js'
import { LIST_TYPES, STREAM_NOTE } from '../platform/http/streamed-list.js'
import { answerHistory, HistoryAnswer, HistoryQuery } from './history-answer.js'

export const listLedgerEvents = operation({
  method: 'GET',
  url: '/ledger/events',
  operationId: 'listLedgerEvents',
  tags: ['ledger'],
  summary: 'List everything that happened on the ledger',
  description: `The audit trail over all registries and DIDs. ${STREAM_NOTE}`,
  auth: 'public',
  tenancy: 'public',
  mayBeStale: true,
  querystring: HistoryQuery,
  response: { 200: HistoryAnswer },
  mediaTypes: LIST_TYPES,
  errors: ['ledger_unavailable'],
  limits: { concurrencyPerAddress: 8 },
  handler: (ctx, { query }) => answerHistory(ctx, query, async () => ({})),
})
