import { Type } from 'typebox'
import { listedSchemas } from '../../ledger/read/registries/registry-schemas.js'
import { notFound } from '../../platform/errors.js'
import { schemaRefText, TrustRegistryRef } from '../../platform/http/identifiers.js'
import { NothingToSay, operation } from '../../platform/http/operation.js'
import { parseSchemaRef } from '../names/schema-ref.js'
import { ownRegistry } from '../registries/access.js'
import { startRemoval } from '../registries/start-removal.js'
import { answerAccepted } from '../registry-job.js'
import { waitUntilIndexed } from '../wait-until-indexed.js'

export const removeRegistrySchema = operation({
  method: 'DELETE',
  url: '/trust-registries/:registryId/schemas/:schemaId',
  operationId: 'removeRegistrySchema',
  tags: ['trustRegistries'],
  summary: 'Remove a schema from a trust registry, and from all its participants',
  description: 'Participants stay in the registry. What was issued before is judged as of the time that is asked for.',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'owned',
  params: Type.Object({
    registryId: TrustRegistryRef,
    schemaId: schemaRefText(),
  }),
  response: { 200: NothingToSay },
  errors: ['forbidden', 'not_found', 'ledger_unavailable'],
  handler: async (ctx, { params }) => {
    const { hash } = parseSchemaRef(params.schemaId, 'schemaId')
    const { registry, point } = await ownRegistry(ctx, params.registryId)
    const listed = await ctx.db.read(ctx.scope, (reader) => listedSchemas(reader, point, registry.id, hash))
    if (listed.length === 0) throw notFound('Schema')
    const job = await ctx.db.transaction(ctx.scope, async (tx) => {
      const started = await startRemoval(tx, ctx, registry, listed, hash)
      await tx.audit({ action: 'removeRegistrySchema', subject: registry.id, before: { schema: hash } })
      await answerAccepted(tx, ctx, started, {})
      return started
    })
    await waitUntilIndexed(ctx, job)
    return {}
  },
})
