import { calls } from '@accredit/chain'
import { Type } from 'typebox'
import { operation } from '../platform/operation.js'
import { ownRegistry } from './access.js'
import { JOB } from './ecosystems.jobs.js'
import { answerAccepted, startRegistryJob } from './registry-job.js'
import { listedSchemas } from './registry-schemas.queries.js'
import { removalCalls } from './removal.js'
import { settle } from './settle.js'
import { RegistryParams } from './trust-registry.shape.js'

export const removeTrustRegistry = operation({
  method: 'DELETE',
  url: '/trust-registries/:registryId',
  operationId: 'removeTrustRegistry',
  tags: ['trustRegistries'],
  summary: 'Delete a trust registry, all its rights first',
  description:
    'Its past stays readable with `at`, its id is never given again. The job has as many parts as the ledger needs for its rights; who is invited meanwhile makes the last one fail, and it can be tried again.',
  auth: 'key',
  ledgerWrite: true,
  tenancy: 'owned',
  params: RegistryParams,
  response: { 200: Type.Object({}) },
  codes: [400, 403, 404, 409],
  handler: async (ctx, { params }) => {
    const { registry, point } = await ownRegistry(ctx, params.registryId)
    const { id: registryId, convener: actor } = registry
    const listed = await ctx.db.read(ctx.scope, (reader) => listedSchemas(reader, point, registryId))
    const removal = [...removalCalls(registryId, listed), calls.trustRegistry.remove({ registryId })]
    const job = await ctx.db.transaction(ctx.scope, async (tx) => {
      const started = await startRegistryJob(tx, ctx, {
        kind: JOB.change,
        registryId,
        actor,
        calls: removal,
        oneByOne: true,
      })
      await tx.audit({ action: 'removeTrustRegistry', subject: registryId })
      await answerAccepted(tx, ctx, started, {})
      return started
    })
    await settle(ctx, job)
    return {}
  },
})
