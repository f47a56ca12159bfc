import { Type } from 'typebox'
import { operation } from '../platform/http/operation.js'
import { pageQuery } from '../platform/http/pagination.js'
import { SearchText, wordsOf } from '../platform/http/search.js'
import { Profile } from './profile.shape.js'
import { ownProfiles } from './profile.store.js'

export const listProfiles = operation({
  method: 'GET',
  url: '/profiles',
  operationId: 'listProfiles',
  tags: ['profiles'],
  summary: 'List your profiles, newest first',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  querystring: Type.Object({ ...pageQuery().properties, search: Type.Optional(SearchText) }),
  response: { 200: Type.Array(Profile) },
  handler: (ctx, { query: { search, ...page } }) =>
    ctx.db.read(ctx.scope, (reader) => ownProfiles(reader, ctx.team, page, wordsOf(search))),
})
