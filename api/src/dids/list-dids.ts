import { Type } from 'typebox'
import { operation } from '../platform/http/operation.js'
import { pageQuery } from '../platform/http/pagination.js'
import { didItems } from './did.list.js'
import { DidListItem } from './did.shape.js'
import { parseDidType } from './did-type.js'

export const listDids = operation({
  method: 'GET',
  url: '/dids',
  operationId: 'listDids',
  tags: ['dids'],
  summary: 'List your DIDs, newest first',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  querystring: Type.Object({
    ...pageQuery().properties,
    type: Type.Optional(Type.String({ maxLength: 64, description: '`ledgerA`, `ledgerB` or `key`' })),
  }),
  response: { 200: Type.Array(DidListItem) },
  errors: ['ledger_not_configured'],
  handler: async (ctx, { query }) => {
    // No DID is of the second method while it is not configured.
    if (query.type === 'ledgerB') return []
    const type = query.type === undefined ? undefined : parseDidType(query.type, ctx.config.didTypeAliases)
    const filter = { team: ctx.team, ...(type === undefined ? {} : { type }) }
    return ctx.db.read(ctx.scope, (reader) => didItems(reader, filter, query))
  },
})
