import { notFound } from '../platform/errors.js'
import { NothingToSay, operation } from '../platform/http/operation.js'
import { ProfileParams } from './profile.shape.js'
import { closeProfile, lockNamed, ownProfile } from './profile.store.js'

export const deleteProfile = operation({
  method: 'DELETE',
  url: '/profiles/:did',
  operationId: 'deleteProfile',
  tags: ['profiles'],
  summary: 'Delete a profile',
  description:
    'The DID and its issued credentials stay. What was shown at a past instant is still shown for that instant.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: ProfileParams,
  response: { 200: NothingToSay },
  errors: ['not_found'],
  handler: (ctx, { params: { did } }) =>
    ctx.db.transaction(ctx.scope, async (tx) => {
      await lockNamed(tx, ctx.team, did)
      const before = await ownProfile(tx, ctx.team, did)
      if ((await closeProfile(tx, ctx.team, did, ctx.clock.now())) === undefined) throw notFound('Profile')
      await tx.audit({ action: 'deleteProfile', subject: did, before: { ...before } })
      return tx.answer({})
    }),
})
