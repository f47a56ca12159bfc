import { Type } from 'typebox'
import { managed, SubAccountParams } from '../../accounts/subaccounts/subaccount.store.js'
import { periodBound } from '../../accounts/trail/period-bound.js'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { COUNTED, Transaction } from './usage.shape.js'
import { transactionsOf } from './usage.store.js'

const bound = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 64, description }))

export const listSubAccountUsage = operation({
  method: 'GET',
  url: '/subaccounts/:id/usage',
  operationId: 'listSubAccountUsage',
  tags: ['subaccounts'],
  summary: 'List the transactions of a sub-account',
  description: `Newest first. ${COUNTED} They count for the sub-account and for your team.`,
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  params: SubAccountParams,
  querystring: Type.Object({
    ...pageQuery().properties,
    startTime: bound('A full date (its midnight in UTC) or an instant with its time zone'),
    endTime: bound('The same; a full date ends with its last millisecond'),
  }),
  response: { 200: Type.Array(Transaction) },
  errors: ['not_found'],
  handler: async (ctx, { params, query: { startTime, endTime, ...page } }) => {
    const period = {
      ...(startTime !== undefined && { from: periodBound(startTime, 'startTime', 'first') }),
      ...(endTime !== undefined && { to: periodBound(endTime, 'endTime', 'last') }),
    }
    const { child } = await managed(ctx, params.id)
    return ctx.db.read(ctx.scope, (reader) => transactionsOf(reader, child, { isAlone: true, ...period, ...page }))
  },
})
