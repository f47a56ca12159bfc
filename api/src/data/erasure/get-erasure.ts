import '../data.tables.js'
import { Type } from 'typebox'
import { notFound } from '../../platform/errors.js'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { ForgettingParams, Progress, told } from '../deletion/deletion.shape.js'

const common = { tags: ['data'], auth: 'account', role: 'administrator', tenancy: 'owned' } as const

export const getErasure = operation({
  ...common,
  method: 'GET',
  url: '/data/erasures/:id',
  operationId: 'getErasure',
  summary: 'Get the report of an erasure',
  description: 'The number of rows that went, by table. Nothing tells what stood in them.',
  params: ForgettingParams('The id of the erasure'),
  response: { 200: Progress },
  errors: ['not_found'],
  handler: async (ctx, { params }) => {
    const row = await ctx.db.read(ctx.scope, (reader) =>
      reader
        .selectFrom('erasures')
        .select(['id', 'started', 'ended', 'counts'])
        .where('team_id', '=', ctx.team)
        .where('id', '=', params.id)
        .executeTakeFirst(),
    )
    if (row === undefined) throw notFound('Erasure')
    return told(row)
  },
})

export const listErasures = operation({
  ...common,
  method: 'GET',
  url: '/data/erasures',
  operationId: 'listErasures',
  summary: 'List the erasures of your team',
  description: 'The newest first.',
  querystring: pageQuery(),
  response: { 200: Type.Array(Progress) },
  handler: async (ctx, { query: { offset, limit } }) => {
    const rows = await ctx.db.read(ctx.scope, (reader) =>
      reader
        .selectFrom('erasures')
        .select(['id', 'started', 'ended', 'counts'])
        .where('team_id', '=', ctx.team)
        .orderBy('started', 'desc')
        .orderBy('id')
        .offset(offset)
        .limit(limit)
        .execute(),
    )
    return rows.map(told)
  },
})
