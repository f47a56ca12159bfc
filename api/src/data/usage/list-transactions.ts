import { Type } from 'typebox'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { COUNTED, Transaction } from './usage.shape.js'
import { transactionCount, transactionsOf } from './usage.store.js'

export const listTransactions = operation({
  method: 'GET',
  url: '/data/transactions',
  operationId: 'listTransactions',
  tags: ['data'],
  summary: 'List your transactions',
  description: `Newest first, those of sub-accounts with them. ${COUNTED}`,
  auth: 'account',
  role: 'member',
  tenancy: 'owned',
  querystring: pageQuery(),
  response: {
    200: Type.Object({
      total: Type.Integer({ description: 'The number of all of them' }),
      list: Type.Array(Transaction, { description: 'The transactions of this page' }),
    }),
  },
  handler: (ctx, { query }) =>
    ctx.db.read(ctx.scope, async (reader) => {
      const [total, list] = await Promise.all([
        transactionCount(reader, ctx.team),
        transactionsOf(reader, ctx.team, query),
      ])
      return { total, list }
    }),
})
