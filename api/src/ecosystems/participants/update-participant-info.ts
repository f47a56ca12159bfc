import { Type } from 'typebox'
import { NO_JOB } from '../../ledger/write/wait-for-job.js'
import { ApiError } from '../../platform/errors.js'
import { operation } from '../../platform/http/operation.js'
import { infoUrlRules, webUrlOrEmpty } from '../registries/text.js'
import { waitUntilIndexed } from '../wait-until-indexed.js'
import { InfoUrl, Participant, ParticipantParams } from './participant.shape.js'
import { reviseParticipant } from './participant.store.js'
import { presentParticipant } from './participant.view.js'
import { ownParticipant } from './participant-access.js'

export const updateParticipantInfo = operation({
  method: 'PATCH',
  url: '/trust-registries/:registryId/participants/:participantId/info',
  operationId: 'updateParticipantInfo',
  tags: ['trustRegistries'],
  summary: 'Say where more can be read about your DID in a trust registry',
  description:
    'For who accepted an invitation here. Nothing is written to the ledger. Readers of the past see what was said then.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: ParticipantParams,
  body: Type.Object({ infoUrl: InfoUrl }),
  examples: { 'An address to read more': { infoUrl: 'https://w3.bilkent.edu.tr' } },
  rules: infoUrlRules,
  response: { 200: Participant },
  errors: ['forbidden', 'not_found', 'ledger_unavailable'],
  deprecated: true,
  handler: async (ctx, { params, body }) => {
    const { registry, participant, isOwnDid } = await ownParticipant(ctx, params.registryId, params.participantId)
    if (!isOwnDid) throw new ApiError('forbidden', 'Only the participant itself may say this')
    const info_url = webUrlOrEmpty(body.infoUrl, 'infoUrl')
    if (info_url !== (participant.info_url ?? ''))
      await ctx.db.transaction(ctx.scope, async (tx) => {
        await reviseParticipant(tx, registry.id, participant.did, { info_url }, ctx.clock.now())
        await tx.audit({
          action: 'updateParticipantInfo',
          subject: registry.id,
          detail: { did: participant.did },
          before: { infoUrl: participant.info_url ?? '' },
          after: { infoUrl: info_url },
        })
      })
    await waitUntilIndexed(ctx, NO_JOB)
    return presentParticipant(ctx, registry.id, participant.did)
  },
})
