import { Type } from 'typebox'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { sweptRowsOf } from './swept-row.store.js'

export const listSweptRows = operation({
  method: 'GET',
  url: '/data/retention',
  operationId: 'listSweptRows',
  tags: ['data'],
  summary: 'List what of your data went because its time was over',
  description:
    'By day, the newest first: how many rows of which table went, and by which rule. A day is told for a year. Nothing tells what stood in them.',
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  querystring: pageQuery(),
  response: {
    200: Type.Array(
      Type.Object({
        day: Type.String({ description: 'The day in UTC' }),
        kind: Type.String({ description: 'The table: credentials, idempotency_keys, outgoing_events' }),
        policy: Type.String({
          description:
            'The rule: a policy of your team, a number of days, or expiry where each row has an end of its own',
        }),
        rows: Type.Integer({ description: 'The number of rows' }),
      }),
    ),
  },
  handler: (ctx, { query }) => ctx.db.read(ctx.scope, (reader) => sweptRowsOf(reader, ctx.team, query)),
})
