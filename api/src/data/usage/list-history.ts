import { Type } from 'typebox'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { COUNTED, KindCounts } from './usage.shape.js'
import { countsByDay, totalOf } from './usage.store.js'

export const listHistory = operation({
  method: 'GET',
  url: '/data/history',
  operationId: 'listHistory',
  tags: ['data'],
  summary: 'List your transactions by date',
  description: `Days in UTC, the newest first; days without any are left out. What sub-accounts did is in it. ${COUNTED}`,
  auth: 'account',
  role: 'member',
  tenancy: 'owned',
  querystring: pageQuery(),
  response: {
    200: Type.Array(
      Type.Object({
        date: Type.String({ description: 'The day' }),
        ...KindCounts,
        total: Type.Integer({ description: 'All of them' }),
      }),
    ),
  },
  handler: (ctx, { query }) =>
    ctx.db.read(ctx.scope, async (reader) =>
      (await countsByDay(reader, ctx.team, query)).map((day) => ({ ...day, total: totalOf(day) })),
    ),
})
