import { AtQuery } from '../../ledger/read/at.js'
import { operation } from '../../platform/http/operation.js'
import { readPoint } from '../read-point.js'
import { visibleRegistry } from '../registries/access.js'
import { registryRef } from '../registries/slug.js'
import { participantById } from './participant.queries.js'
import { Participant, ParticipantParams } from './participant.shape.js'
import { participantView } from './participant.view.js'
import { participantNotFound } from './participant-access.js'

export const getParticipant = operation({
  method: 'GET',
  url: '/trust-registries/:registryId/participants/:participantId',
  operationId: 'getParticipant',
  tags: ['trustRegistries'],
  summary: 'Get a participant of a trust registry that you own or take part in',
  auth: 'key',
  role: 'member',
  tenancy: 'shared',
  params: ParticipantParams,
  querystring: AtQuery,
  response: { 200: Participant },
  errors: ['not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, query }) => {
    const point = await readPoint(ctx, query.at)
    const { registry } = await visibleRegistry(ctx, registryRef(params.registryId), point)
    const row = await ctx.db.read(ctx.scope, (reader) =>
      participantById(reader, point, registry.id, params.participantId),
    )
    if (!row) throw participantNotFound()
    return participantView(row)
  },
})
