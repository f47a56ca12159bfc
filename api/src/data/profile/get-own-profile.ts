import { Type } from 'typebox'
import { operation } from '../../platform/http/operation.js'
import { ownProfileOf } from './own-profile.store.js'

export const OwnProfileRecord = Type.Object({
  name: Type.String({ description: 'The name' }),
  image: Type.String({ description: 'An image; empty without one' }),
})

export const getOwnProfile = operation({
  method: 'GET',
  url: '/data/profile',
  operationId: 'getOwnProfile',
  tags: ['data'],
  summary: 'Get your profile',
  description: 'With a session the profile of its person; with a key that of the team.',
  auth: 'account',
  role: 'member',
  tenancy: 'owned',
  response: { 200: OwnProfileRecord },
  handler: (ctx) => ctx.db.read(ctx.scope, (reader) => ownProfileOf(reader, ctx)),
})
