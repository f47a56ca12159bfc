import { Type } from 'typebox'
import { NothingToSay, operation } from '../../platform/http/operation.js'
import { lockSessions } from './sign-in.store.js'

export const deleteSession = operation({
  method: 'DELETE',
  url: '/auth/sessions',
  operationId: 'deleteSession',
  tags: ['teams'],
  summary: 'Sign out',
  description: 'The session opens nothing a second later at the latest. Keys stay.',
  auth: 'session',
  role: 'member',
  tenancy: 'system',
  querystring: Type.Object({
    all: Type.Boolean({ default: false, description: 'true: all sessions of the person end, in every team' }),
  }),
  response: { 200: NothingToSay },
  // A retry would need the session that it ended.
  idempotent: false,
  handler: async (ctx, { query: { all } }) => {
    const { userId, sessionId, team } = ctx.principal
    await ctx.db.transaction('system', async (tx) => {
      if (all) await lockSessions(tx, userId)
      const own = tx.deleteFrom('sessions').where('user_id', '=', userId)
      tx.defer(all ? own : own.where('id', '=', sessionId))
      await tx.audit({ action: 'deleteSession', subject: String(userId), team, by: ctx.scope, before: { all } })
    })
    return {}
  },
})
