import '../../accounts/account.tables.js'
import { notFound } from '../../platform/errors.js'
import { operation } from '../../platform/http/operation.js'
import { ForgettingParams, Progress, told } from './deletion.shape.js'

export const getDeletion = operation({
  method: 'GET',
  url: '/data/deletions/:id',
  operationId: 'getDeletion',
  tags: ['data'],
  summary: 'Get how far the deletion of a team is',
  description:
    'For whoever has its id, since the team has no keys any more. It tells nothing of the team, and stays for ever.',
  auth: 'public',
  tenancy: 'public',
  params: ForgettingParams('The id that the deletion was answered with'),
  response: { 200: Progress },
  errors: ['not_found'],
  limits: { concurrencyPerAddress: 4 },
  handler: async (ctx, { params }) => {
    const row = await ctx.db.read('system', (reader) =>
      reader
        .selectFrom('deletions')
        .select(['id', 'started', 'ended', 'counts'])
        .where('id', '=', params.id)
        .executeTakeFirst(),
    )
    if (row === undefined) throw notFound('Deletion')
    return told(row)
  },
})
