import { NothingToSay, operation } from '../../platform/http/operation.js'
import { markRead, readerName } from './notification.store.js'

export const markNotificationsRead = operation({
  method: 'POST',
  url: '/data/notifications/mark-read',
  operationId: 'markNotificationsRead',
  tags: ['data'],
  summary: 'Mark all notifications as read',
  description: 'With a session for its person, with a key for all keys of the team.',
  auth: 'account',
  role: 'member',
  tenancy: 'owned',
  response: { 200: NothingToSay },
  handler: (ctx) =>
    ctx.db.transaction(ctx.scope, async (tx) => {
      markRead(tx, ctx.team, readerName(ctx))
      return tx.answer({})
    }),
})
