import { Type } from 'typebox'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { monthOf } from '../usage/month.js'
import { monthsOf } from '../usage/usage.store.js'

export const listStatements = operation({
  method: 'GET',
  url: '/data/statements',
  operationId: 'listStatements',
  tags: ['data'],
  summary: 'List the months that have a statement',
  description: 'Newest first; months without a transaction are left out.',
  auth: 'account',
  role: 'owner',
  tenancy: 'owned',
  querystring: pageQuery(),
  response: {
    200: Type.Array(
      Type.Object({
        month: Type.String({ description: 'The month: 2026-01' }),
        total: Type.Integer({ description: 'The transactions of the team and its sub-accounts' }),
        isFinal: Type.Boolean({ description: 'True when the month is over' }),
      }),
    ),
  },
  handler: (ctx, { query }) =>
    ctx.db.read(ctx.scope, async (reader) => {
      const present = monthOf(ctx.clock.now()).name
      return (await monthsOf(reader, ctx.team, query)).map((row) => ({ ...row, isFinal: row.month < present }))
    }),
})
