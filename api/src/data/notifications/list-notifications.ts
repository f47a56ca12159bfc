import { Type } from 'typebox'
import { NOTIFICATIONS } from '../../platform/database/notifications.js'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { notificationsOf, readerName } from './notification.store.js'

const KINDS = Object.entries(NOTIFICATIONS)
  .map(([type, meaning]) => `\`${type}\`: ${meaning}`)
  .join('. ')

const Notification = Type.Object({
  id: Type.Integer({ description: 'Its number, which grows' }),
  type: Type.String({ description: `Its kind: ${Object.keys(NOTIFICATIONS).join(', ')}` }),
  data: Type.Object({}, { additionalProperties: true, description: 'The facts, by kind' }),
  created: Type.String({ description: 'The time of what it tells' }),
  read: Type.Boolean({ description: 'True once you marked it as read' }),
})

export const listNotifications = operation({
  method: 'GET',
  url: '/data/notifications',
  operationId: 'listNotifications',
  tags: ['data'],
  summary: 'List the notifications of your team',
  description: `Newest first, for 90 days. Each is stored with what it tells, or not at all. Persons read them each by themselves, with sessions; keys of a team share what they have read. ${KINDS}.`,
  auth: 'account',
  role: 'member',
  tenancy: 'owned',
  querystring: Type.Object({
    ...pageQuery().properties,
    read: Type.Optional(Type.Boolean({ description: 'true: only what you marked as read; false: only the others' })),
  }),
  response: {
    200: Type.Object({
      total: Type.Integer({ description: 'The number of all that match' }),
      list: Type.Array(Notification, { description: 'The notifications of this page' }),
    }),
  },
  handler: (ctx, { query: { read, ...page } }) =>
    ctx.db.read(ctx.scope, (reader) => notificationsOf(reader, { ...page, team: ctx.team, by: readerName(ctx), read })),
})
