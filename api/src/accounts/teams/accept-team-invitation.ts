import { Type } from 'typebox'
import type { Tx } from '../../platform/database/database.js'
import { ApiError, notFound } from '../../platform/errors.js'
import { operation } from '../../platform/http/operation.js'
import { EXAMPLE } from '../../platform/http/reference/examples.js'
import { personOf } from '../people/person.store.js'
import { requirePlaces } from '../plan-places.js'
import { holdStanding } from '../standing.js'
import { countOfPeople, invitationOfToken } from './invitation.store.js'
import { membershipOf } from './member.store.js'
import { memberResource } from './team.events.js'
import { emailOf, Team } from './team.shape.js'
import { teamOf } from './team.store.js'

export const acceptTeamInvitation = operation({
  method: 'POST',
  url: '/teams/accept-member-invite',
  operationId: 'acceptTeamInvitation',
  tags: ['teams'],
  summary: 'Accept an invitation to a team',
  description:
    'For the person who signed in with the invited address. The answer is the team; POST /auth/sessions with its number opens a session in it.',
  auth: 'session',
  role: 'member',
  tenancy: 'system',
  body: Type.Object({
    accept_invitation_token: Type.String({ minLength: 1, maxLength: 200, description: 'The token of the mail' }),
  }),
  examples: { 'The token of a mail': { accept_invitation_token: EXAMPLE.token } },
  response: { 200: Team },
  errors: [
    'not_found',
    'forbidden',
    'invite_token_used',
    'invite_token_expired',
    'invite_already_accepted',
    'limit_reached',
  ],
  handler: (ctx, { body: { accept_invitation_token: token } }) =>
    ctx.db.transaction('system', async (tx) => {
      const { userId } = ctx.principal
      await holdStanding(tx, ctx)
      const { id, team, role } = await openInvitation(tx, token, userId, ctx.clock.now())
      if (await membershipOf(tx, userId, team))
        throw new ApiError('invite_already_accepted', 'You are in the team already')
      const now = ctx.clock.now()
      // The invitation has a place already: it counts among the people, and adds none. One that was over has none.
      await requirePlaces(tx, ctx, { team, what: 'members', more: 0, count: () => countOfPeople(tx, team, now) })
      await tx.insertInto('team_members').values({ team_id: team, user_id: userId, role }).execute()
      tx.defer(tx.updateTable('team_invitations').set({ status: 'accepted' }).where('id', '=', id))
      await tx.audit({ action: 'acceptTeamInvitation', subject: String(userId), team, by: ctx.scope, after: { role } })
      await tx.emitAll([
        {
          team,
          event: 'team_invitation_accept',
          data: { id, memberId: userId, role },
          resource: `team invitation ${id}`,
        },
        { team, event: 'team_member_create', data: { id: userId, role }, resource: memberResource(userId) },
      ])
      tx.notify('invitation_accepted', { userId, role }, team)
      return teamOf(tx, team)
    }),
})

/** Finds the invitation. The bearer of its token alone learns why it does not work, or that there is one. */
async function openInvitation(tx: Tx, token: string, userId: number, now: Date) {
  const invitation = await invitationOfToken(tx, token)
  if (!invitation) throw notFound('Invitation')
  const { email } = await personOf(tx, userId)
  if (email === null || emailOf(email) !== invitation.email)
    throw new ApiError('forbidden', 'The invitation is for another address: sign in with that one')
  if (invitation.status === 'accepted') throw new ApiError('invite_token_used', 'The invitation was accepted already')
  if (invitation.status === 'canceled') throw new ApiError('invite_token_expired', 'The invitation was canceled')
  if (invitation.expires <= now)
    throw new ApiError('invite_token_expired', 'The invitation is over: ask the team to send it again')
  return invitation
}
