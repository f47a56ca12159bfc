import type { Context } from '../../platform/http/context.js'
import { NothingToSay, operation } from '../../platform/http/operation.js'
import { JOB } from '../job-kinds.js'
import { rightsCalls } from '../registry-calls.js'
import { answerAccepted, startRegistryJob } from '../registry-job.js'
import { NO_RIGHTS, planRights, rightsFacts, union } from '../rights.js'
import { waitUntilIndexed } from '../wait-until-indexed.js'
import { ParticipantParams } from './participant.shape.js'
import { closeParticipant } from './participant.store.js'
import { ownParticipant, type ParticipantAccess, withTeamOf } from './participant-access.js'
import { rightsOf } from './participant-change.js'
import { participantToBe } from './participant-to-be.js'

export const removeParticipant = operation({
  method: 'DELETE',
  url: '/trust-registries/:registryId/participants/:participantId',
  operationId: 'removeParticipant',
  tags: ['trustRegistries'],
  summary: 'Remove a participant, or leave a trust registry',
  description:
    'By the convener, or by the participant, whose own DID then signs. All its rights in the registry end. A suspension stays on the ledger for when it comes back.',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'shared',
  params: ParticipantParams,
  response: { 200: NothingToSay },
  errors: ['forbidden', 'not_found', 'ledger_unavailable'],
  handler: async (ctx, { params }) => {
    const access = await ownParticipant(ctx, params.registryId, params.participantId)
    await waitUntilIndexed(ctx, await store(ctx, access))
    return {}
  },
})

function store(ctx: Context, { registry, standing, participant }: ParticipantAccess) {
  const { did } = participant
  const actor = standing.is_owner ? registry.convener : did
  return ctx.db.transaction(withTeamOf(ctx, participant), async (tx) => {
    const { present, toBe } = await participantToBe(tx, ctx, participant)
    const rights = union(rightsOf(present), rightsOf(toBe))
    const calls = rightsCalls(registry.id, did, planRights(rights, NO_RIGHTS))
    const job = await startRegistryJob(tx, ctx, {
      kind: JOB.remove,
      registryId: registry.id,
      actor,
      calls,
      data: { did },
    })
    if (calls.length === 0) await closeParticipant(tx, registry.id, did, ctx.clock.now())
    await tx.audit({ action: 'removeParticipant', subject: registry.id, detail: { did }, before: rightsFacts(rights) })
    await answerAccepted(tx, ctx, job, {})
    return job
  })
}
