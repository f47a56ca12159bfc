import { notFound } from '../platform/errors.js'
import { operation } from '../platform/http/operation.js'
import { didItems } from './did.list.js'
import { DidListItem, DidParams } from './did.shape.js'

export const getDidMetadata = operation({
  method: 'GET',
  url: '/dids/:did/metadata',
  operationId: 'getDidMetadata',
  tags: ['dids'],
  summary: 'Get what the service knows of one of your DIDs',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: DidParams,
  response: { 200: DidListItem },
  errors: ['not_found'],
  handler: async (ctx, { params: { did } }) => {
    const items = await ctx.db.read(ctx.scope, (reader) =>
      didItems(reader, { team: ctx.team, did }, { offset: 0, limit: 1 }),
    )
    const [item] = items
    if (item === undefined) throw notFound('DID')
    return item
  },
})
