import { listedSchemas } from '../../ledger/read/registries/registry-schemas.js'
import { NothingToSay, operation } from '../../platform/http/operation.js'
import { answerAccepted } from '../registry-job.js'
import { waitUntilIndexed } from '../wait-until-indexed.js'
import { ownRegistry } from './access.js'
import { startRemoval } from './start-removal.js'
import { RegistryParams } from './trust-registry.shape.js'

export const removeTrustRegistry = operation({
  method: 'DELETE',
  url: '/trust-registries/:registryId',
  operationId: 'removeTrustRegistry',
  tags: ['trustRegistries'],
  summary: 'Delete a trust registry, all its rights first',
  description:
    'Its past stays readable with `at`, its id is never given again. The job has as many parts as the ledger needs for its rights, and for the delegations that end with them; what comes meanwhile is removed as well.',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'owned',
  params: RegistryParams,
  response: { 200: NothingToSay },
  errors: ['forbidden', 'not_found', 'ledger_unavailable'],
  handler: async (ctx, { params }) => {
    const { registry, point } = await ownRegistry(ctx, params.registryId)
    const listed = await ctx.db.read(ctx.scope, (reader) => listedSchemas(reader, point, registry.id))
    const job = await ctx.db.transaction(ctx.scope, async (tx) => {
      const started = await startRemoval(tx, ctx, registry, listed)
      await tx.audit({
        action: 'removeTrustRegistry',
        subject: registry.id,
        before: { convener: registry.convener, schemas: listed.length },
      })
      await answerAccepted(tx, ctx, started, {})
      return started
    })
    await waitUntilIndexed(ctx, job)
    return {}
  },
})
