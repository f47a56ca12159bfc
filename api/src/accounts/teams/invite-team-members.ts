import { Type } from 'typebox'
import { ApiError } from '../../platform/errors.js'
import { operation } from '../../platform/http/operation.js'
import { requirePlaces } from '../plan-places.js'
import { holdStanding } from '../standing.js'
import { countOfPeople, invite, sendAfter } from './invitation.store.js'
import { isMemberWith } from './member.store.js'
import { Done, Email, emailOf, GivenRole, TeamInvitation, TeamParams } from './team.shape.js'
import { ownTeam, teamOf } from './team.store.js'

export const inviteTeamMembers = operation({
  method: 'POST',
  url: '/teams/:id/invite',
  operationId: 'inviteTeamMembers',
  tags: ['teams'],
  summary: 'Invite people to your team by e-mail',
  description:
    'Each gets a mail with a token that is valid for 7 days and works once, for the person who signs in with that very address. All are invited, or none. A sub-account has no people: 403.',
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  params: TeamParams,
  body: Type.Object({
    emails: Type.Array(Email, { minItems: 1, maxItems: 50, uniqueItems: true, description: 'The addresses' }),
    role: Type.Optional(GivenRole),
  }),
  examples: { 'Two colleagues': { emails: ['dean@example.org', 'registrar@example.org'], role: 'member' } },
  response: {
    200: Type.Object({
      ...Done.properties,
      invitations: Type.Array(TeamInvitation, { description: 'The invitations, in the order of the addresses' }),
    }),
  },
  errors: ['not_found', 'forbidden', 'rate_limited', 'limit_reached'],
  handler: (ctx, { params, body: { emails, role = 'member' } }) => {
    const team = ownTeam(ctx, params.id)
    return ctx.db.transaction(ctx.scope, async (tx) => {
      await holdStanding(tx, ctx)
      const { name, parentId } = await teamOf(tx, team)
      // They would be in no plan, and stay there when the parent removes them.
      if (parentId !== null) throw new ApiError('forbidden', 'A sub-account has no people: invite them to its parent')
      const count = () => countOfPeople(tx, team, ctx.clock.now())
      await requirePlaces(tx, ctx, { team, what: 'members', more: emails.length, count })
      const made: TeamInvitation[] = []
      for (const email of emails.map(emailOf)) {
        if (await isMemberWith(tx, team, email)) throw new ApiError('conflict', `${email} is a member already`)
        made.push(await invite(tx, ctx, { email, role }, name))
      }
      sendAfter(tx, ctx)
      const about = made.map(({ email }) => email)
      return tx.answer({ code: 200, invitations: made }, about)
    })
  },
})
