import { Type } from 'typebox'
import { NameText } from '../../accounts/teams/team.shape.js'
import { isAtLeast } from '../../platform/database/tables.js'
import { ApiError } from '../../platform/errors.js'
import { NothingToSay, operation } from '../../platform/http/operation.js'
import { OwnProfileRecord } from './get-own-profile.js'
import { changeOwnProfile, ownProfileOf } from './own-profile.store.js'

export const updateOwnProfile = operation({
  method: 'PATCH',
  url: '/data/profile',
  operationId: 'updateOwnProfile',
  tags: ['data'],
  summary: 'Change your profile',
  description:
    'With a session the profile of its person; with a key that of the team, which takes the role administrator. What is left out stays; null ends the image.',
  auth: 'account',
  role: 'member',
  tenancy: 'owned',
  body: Type.Object({
    name: Type.Optional(NameText('The name')),
    image: Type.Optional(
      Type.Union([Type.String({ maxLength: 65_536 }), Type.Null()], {
        description: 'An image, as a URL or a data URI',
      }),
    ),
  }),
  record: OwnProfileRecord,
  examples: { 'Another name': { name: 'Ada Lovelace' } },
  response: { 200: NothingToSay },
  errors: ['forbidden'],
  handler: async (ctx, { body: { name, image } }) => {
    const { principal, scope, team } = ctx
    const isPerson = principal.kind === 'session'
    if (!isPerson && !isAtLeast(principal.role, 'administrator'))
      throw new ApiError('forbidden', 'The profile of a team is for administrators')
    const changed = {
      ...(name !== undefined && { name: name.trim() }),
      ...(image !== undefined && { image: image ?? '' }),
    }
    const { idempotency: _, ...by } = scope
    return ctx.db.transaction(isPerson ? 'system' : scope, async (tx) => {
      const before = await ownProfileOf(tx, ctx)
      if (Object.keys(changed).length > 0) changeOwnProfile(tx, ctx, changed)
      await tx.audit({
        action: 'updateOwnProfile',
        subject: isPerson ? `user:${principal.userId}` : String(team),
        team,
        by,
        before: { name: before.name },
        after: { name: changed.name ?? before.name },
      })
      return tx.answer({})
    })
  },
})
