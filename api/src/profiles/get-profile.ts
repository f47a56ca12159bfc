import { notFound } from '../platform/errors.js'
import { operation } from '../platform/http/operation.js'
import { Profile, ProfileParams } from './profile.shape.js'
import { ownProfile } from './profile.store.js'

export const getProfile = operation({
  method: 'GET',
  url: '/profiles/:did',
  operationId: 'getProfile',
  tags: ['profiles'],
  summary: 'Get the profile of one of your DIDs',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: ProfileParams,
  response: { 200: Profile },
  errors: ['not_found'],
  handler: async (ctx, { params }) => {
    const profile = await ctx.db.read(ctx.scope, (reader) => ownProfile(reader, ctx.team, params.did))
    if (profile === undefined) throw notFound('Profile')
    return profile
  },
})
