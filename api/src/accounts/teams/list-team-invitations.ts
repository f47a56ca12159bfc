import { Type } from 'typebox'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { invitationsOf } from './invitation.store.js'
import { INVITATION_STATES, TeamInvitation, TeamParams } from './team.shape.js'
import { ownTeam } from './team.store.js'

export const listTeamInvitations = operation({
  method: 'GET',
  url: '/teams/:id/invitations',
  operationId: 'listTeamInvitations',
  tags: ['teams'],
  summary: 'List the invitations to your team',
  description: 'Newest first.',
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  params: TeamParams,
  querystring: Type.Object({
    ...pageQuery().properties,
    status: Type.Optional(Type.Enum([...INVITATION_STATES], { description: 'Only those in this state' })),
  }),
  response: { 200: Type.Array(TeamInvitation) },
  errors: ['not_found'],
  handler: (ctx, { params, query }) =>
    ctx.db.read(ctx.scope, (reader) => invitationsOf(reader, ownTeam(ctx, params.id), query, query.status)),
})
