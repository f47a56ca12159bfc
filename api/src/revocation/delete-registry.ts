import { parseHex32 } from '@accredit/chain'
import { Type } from 'typebox'
import { JobStarted } from '../jobs/job.shape.js'
import { jobStarted } from '../ledger/write/wait-for-job.js'
import { ApiError, notFound } from '../platform/errors.js'
import { operation } from '../platform/http/operation.js'
import { bareHex } from '../status/revocation-id.js'
import { RegistryId } from './registry.shape.js'
import { findOwnRegistry } from './registry.store.js'
import { removeFromLedger } from './registry-actions.js'

const Removed = Type.Object(
  {
    id: Type.String({ description: '64 hexadecimal digits' }),
    hexId: Type.String({ description: 'The same with 0x' }),
    lastModified: Type.Integer({ description: 'The time at which it was asked for, in seconds since 1970' }),
  },
  { description: 'The registry that is removed' },
)

export const deleteRegistry = operation({
  method: 'DELETE',
  url: '/registries/:id',
  operationId: 'deleteRegistry',
  tags: ['registries'],
  summary: 'Delete a revocation registry',
  description: 'Credentials whose status stands in it no longer verify. An add-only registry cannot be deleted.',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'owned',
  params: Type.Object({ id: RegistryId }),
  response: { 200: Type.Object({ id: JobStarted.properties.id, data: Removed }) },
  errors: ['registry_add_only', 'not_found'],
  handler: async (ctx, { params }) =>
    ctx.db.transaction(ctx.scope, async (tx) => {
      const id = parseHex32(params.id)
      const registry = id && (await findOwnRegistry(tx, ctx.team, id))
      if (!registry || registry.status === 'removing') throw notFound('Registry')
      if (registry.add_only) throw new ApiError('registry_add_only', 'An add-only registry cannot be deleted')
      const job = await removeFromLedger(tx, ctx, registry)
      await tx.audit({
        action: 'deleteRegistry',
        subject: registry.id,
        before: { status: registry.status },
        after: { status: 'removing' },
      })
      const lastModified = Math.floor(ctx.clock.now().getTime() / 1000)
      return tx.answer(jobStarted(ctx, job, { id: bareHex(registry.id), hexId: registry.id, lastModified }))
    }),
})
