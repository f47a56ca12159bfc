import { operation } from '../../platform/http/operation.js'
import { Team, TeamChange, TeamParams } from './team.shape.js'
import { changeTeam, ownTeam, settingsOf, teamOf } from './team.store.js'

export const updateTeam = operation({
  method: 'PATCH',
  url: '/teams/:id',
  operationId: 'updateTeam',
  tags: ['teams'],
  summary: 'Change the name of your team, or how long its data is kept',
  description:
    'Each policy of `retentionPolicy` is at least one hour, in seconds; what is past it is deleted within ten minutes, and GET /data/retention tells how much went.',
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  params: TeamParams,
  body: TeamChange,
  examples: {
    'Another name': { name: 'Bilkent University' },
    'Credentials are forgotten after a year, offers after a day': {
      name: 'Bilkent University',
      retentionPolicy: { credentials: 31_536_000, credentialOffers: 86_400 },
      storeSubjectRef: false,
    },
  },
  record: Team,
  response: { 200: Team },
  errors: ['not_found'],
  handler: (ctx, { params, body }) => {
    const team = ownTeam(ctx, params.id)
    return ctx.db.transaction(ctx.scope, async (tx) => {
      const before = await teamOf(tx, team)
      await changeTeam(tx, team, body)
      const after = await teamOf(tx, team)
      const action = { action: 'updateTeam', subject: String(team) }
      await tx.audit({ ...action, before: settingsOf(before), after: settingsOf(after) })
      return tx.answer(after)
    })
  },
})
