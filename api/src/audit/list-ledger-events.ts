import { operation } from '../platform/operation.js'
import { answerHistory, HISTORY_MEDIA_TYPES, HISTORY_NOTE, HistoryAnswer, HistoryQuery } from './history-answer.js'

export const listLedgerEvents = operation({
  method: 'GET',
  url: '/ledger/events',
  operationId: 'listLedgerEvents',
  tags: ['ledger'],
  summary: 'List everything that happened on the ledger',
  description: `The audit trail over all registries and DIDs. ${HISTORY_NOTE}`,
  auth: 'public',
  tenancy: 'public',
  querystring: HistoryQuery,
  response: { 200: HistoryAnswer },
  mediaTypes: HISTORY_MEDIA_TYPES,
  errors: ['did_method_not_supported', 'ledger_unavailable'],
  limits: { concurrencyPerAddress: 8 },
  handler: (ctx, { query }) => answerHistory(ctx, query, async () => ({})),
})
