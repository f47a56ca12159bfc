import { ApiError } from '../../platform/errors.js'
import { operation } from '../../platform/http/operation.js'
import { requirePlaces } from '../plan-places.js'
import { holdStanding } from '../standing.js'
import { countOfPeople, lockOpenInvitation, sendAfter, sendAgain } from './invitation.store.js'
import { DONE, Done, InvitationParams } from './team.shape.js'
import { ownTeam, teamOf } from './team.store.js'

const DAY_MS = 86_400_000

export const resendTeamInvitation = operation({
  method: 'POST',
  url: '/teams/:id/invitations/:invitation_id/resend',
  operationId: 'resendTeamInvitation',
  tags: ['teams'],
  summary: 'Send an invitation again, once a day',
  description:
    'It is valid for 7 more days, also one that was over, while the plan has a place; the link of the mail before ends.',
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  params: InvitationParams,
  response: { 200: Done },
  errors: ['not_found', 'resend_too_soon', 'rate_limited', 'limit_reached'],
  handler: (ctx, { params }) => {
    const team = ownTeam(ctx, params.id)
    return ctx.db.transaction(ctx.scope, async (tx) => {
      await holdStanding(tx, ctx)
      const invitation = await lockOpenInvitation(tx, team, params.invitation_id)
      const left = invitation.sent.getTime() + DAY_MS - ctx.clock.now().getTime()
      if (left > 0)
        throw new ApiError('resend_too_soon', 'The invitation was sent within the last day: try again later', {
          headers: { 'Retry-After': String(Math.ceil(left / 1000)) },
        })
      const now = ctx.clock.now()
      const count = () => countOfPeople(tx, team, now)
      // One that was over has no place among the people of the plan any more.
      if (new Date(invitation.expires) <= now) await requirePlaces(tx, ctx, { team, what: 'members', more: 1, count })
      await sendAgain(tx, ctx, invitation, (await teamOf(tx, team)).name)
      sendAfter(tx, ctx)
      return tx.answer(DONE)
    })
  },
})
