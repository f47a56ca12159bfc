import type { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import { cursorAfter, keyOfCursor } from '../../platform/http/cursor.js'
import { operation } from '../../platform/http/operation.js'
import { columnsOf, LIST_TYPES, STREAM_NOTE, streamedList, wantedStream } from '../../platform/http/streamed-list.js'
import { TeamParams } from '../teams/team.shape.js'
import { ownTeam } from '../teams/team.store.js'
import { periodBound } from './period-bound.js'
import { trailOf, wholeTrail } from './trail.store.js'

const LIMIT = 64

const text = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }))

const AuditQuery = Type.Object({
  actor: text(64, 'Only what one key or person did: key:5, user:7'),
  action: text(64, 'Only one operation: updateTeamMember'),
  subject: text(1024, 'Only what happened to one thing'),
  from: text(64, 'A full date (its midnight in UTC) or an instant with its time zone'),
  to: text(64, 'The same; a full date ends with its last millisecond'),
  cursor: text(64, 'next of the page before, with the same filters'),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: `${LIMIT} when left out; of a page, not of a stream` }),
  ),
})

const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const facts = (description: string) =>
  Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'], description })

const AuditRow = Type.Object({
  id: Type.Integer({ description: 'Its number, which grows' }),
  time: Type.String({ description: 'The time of the change' }),
  actor: Type.String({ description: 'The key or person who did it: key:5, user:7; system: the service' }),
  actorName: orNull('The name of a person of the team, or the public part of a key of it'),
  address: orNull('The address that the request came from'),
  action: Type.String({ description: 'The operation' }),
  subject: orNull('The thing that it changed'),
  before: facts('The members that changed, as they were'),
  after: facts('The members that changed, as they are'),
  detail: facts('Further facts'),
  requestId: orNull('The request in the log'),
})
const Page = Type.Object({
  list: Type.Array(AuditRow, { description: 'The rows of this page, newest first' }),
  next: orNull('The cursor of the next page; null: this is the last'),
})

export const listTeamAudit = operation({
  method: 'GET',
  url: '/teams/:id/audit',
  operationId: 'listTeamAudit',
  tags: ['teams'],
  summary: 'List who changed what in your team',
  description: `Each change by a person or a key is a row, in the transaction of the change itself. ${STREAM_NOTE}`,
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  params: TeamParams,
  querystring: AuditQuery,
  response: { 200: Type.Unsafe<Static<typeof Page> | Readable>(Page) },
  mediaTypes: LIST_TYPES,
  errors: ['not_found'],
  limits: { streamsPerAddress: 2 },
  handler: async (ctx, { params, query }) => {
    const team = ownTeam(ctx, params.id)
    const { limit = LIMIT, cursor, from, to, ...named } = query
    const stream = wantedStream(ctx, { limit: query.limit, cursor })
    const filter = {
      ...named,
      ...(from !== undefined && { from: periodBound(from, 'from', 'first') }),
      ...(to !== undefined && { to: periodBound(to, 'to', 'last') }),
    }
    if (stream !== undefined)
      return streamedList(ctx, stream, {
        columns: columnsOf(AuditRow),
        chunks: wholeTrail(ctx.db, ctx.scope, team, filter),
      })
    const before = cursor === undefined ? undefined : Number(keyOfCursor(filter, cursor))
    const rows = await ctx.db.read(ctx.scope, (reader) => trailOf(reader, team, filter, { before, limit: limit + 1 }))
    const list = rows.slice(0, limit)
    const last = list.at(-1)
    return { list, next: rows.length > limit && last ? cursorAfter(filter, String(last.id)) : null }
  },
})
