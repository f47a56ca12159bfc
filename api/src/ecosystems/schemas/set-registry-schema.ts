import { calls, type Hex32, type SchemaOp, type VerifierOp } from '@accredit/chain'
import { Type } from 'typebox'
import { actingKeyHere } from '../../dids/did.store.js'
import { isPriced } from '../../ledger/read/participants/prices.js'
import { openness } from '../../ledger/read/registries/registry-schemas.js'
import type { Tx } from '../../platform/database/database.js'
import { invalid } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { schemaRefText, TrustRegistryRef } from '../../platform/http/identifiers.js'
import { operation } from '../../platform/http/operation.js'
import { JOB } from '../job-kinds.js'
import { lockSchema, namedSchemas, rememberSchemas } from '../names/schema.store.js'
import { opennessWith, pendingChanges } from '../pending/pending-changes.js'
import { presentPoint } from '../read-point.js'
import { type Access, ownRegistry } from '../registries/access.js'
import { answerAccepted, startRegistryJob } from '../registry-job.js'
import { waitUntilIndexed } from '../wait-until-indexed.js'

const SchemaParams = Type.Object({
  registryId: TrustRegistryRef,
  schemaId: schemaRefText(),
})

export const setRegistrySchema = operation({
  method: 'PUT',
  url: '/trust-registries/:registryId/schemas/:schemaId',
  operationId: 'setRegistrySchema',
  tags: ['trustRegistries'],
  summary: 'Add a schema to a trust registry, and open or close it',
  description:
    'Anyone may verify an open schema; whoever was named as its verifier is not named any more, and it cannot carry a price. A closed one keeps its issuers. Adding needs no participant.',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'owned',
  params: SchemaParams,
  body: Type.Object({ public: Type.Boolean({ default: false, description: 'Anyone may verify it' }) }),
  examples: { 'Anyone may verify it': { public: true } },
  response: {
    200: Type.Object({
      id: Type.String({ description: 'The URI, or the hash of a schema that is known only to the ledger' }),
      schemaId: Type.String({ description: 'The hash by which the ledger knows it' }),
      public: Type.Boolean({ description: 'Anyone may verify it' }),
    }),
  },
  errors: ['forbidden', 'not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, body }) => {
    const access = await ownRegistry(ctx, params.registryId)
    const [schema] = await namedSchemas(ctx, [params.schemaId], 'schemaId')
    if (!schema) throw new Error('one schema was named')
    const answer = { id: schema.uri ?? schema.hash, schemaId: schema.hash, public: body.public }
    const job = await ctx.db.transaction(ctx.scope, async (tx) => {
      const planned = await plan(tx, ctx, access, { schema: schema.hash, open: body.public })
      const { id: registryId, convener: actor } = access.registry
      const started = await startRegistryJob(tx, ctx, { kind: JOB.change, registryId, actor, calls: planned })
      await rememberSchemas(tx, [schema])
      await tx.audit({
        action: 'setRegistrySchema',
        subject: registryId,
        after: { schema: schema.hash, public: body.public },
      })
      await answerAccepted(tx, ctx, started, answer)
      return started
    })
    await waitUntilIndexed(ctx, job)
    return answer
  },
})

/** Returns the calls that make a schema open or closed as wanted; none when it is already. */
async function plan(
  tx: Tx,
  ctx: Context,
  { registry }: Access,
  { schema, open }: { schema: Hex32; open: boolean },
): Promise<Uint8Array[]> {
  await lockSchema(tx, registry.id, schema)
  const point = await presentPoint(ctx)
  const pending = await pendingChanges(tx, registry.id, point, { schema })
  const isOpen = opennessWith(await openness(tx, point, registry.id, schema), schema, pending)
  if (isOpen === open) return []
  if (open && (await isPriced(tx, point, registry.id, schema)))
    throw invalid('This schema has prices, and a public schema cannot be priced: remove them first')
  const { id: registryId, version: expectedVersion, convener } = registry
  const write = (op: SchemaOp, version?: number) =>
    calls.trustRegistry.setSchemasMetadata({
      registryId,
      update: { Modify: new Map([[schema, op]]) },
      ...(version !== undefined && { expectedVersion: version }),
    })
  // A pending signature has to be good also when the schema came or went meanwhile.
  const waits = (await actingKeyHere(tx, convener)) === undefined
  if (open && isOpen === undefined && !waits) return [write({ Add: { issuers: new Map(), verifiers: [] } })]
  // The ledger compares the version, so that a verifier that is named at this moment is not lost.
  if (open) return [write({ Ensure: { verifiers: { Set: [] } } }, expectedVersion)]
  if (isOpen === undefined) return [write({ Ensure: {} })]
  // A verifier ends the openness, and need not stay: in one dispatch nobody sees it come and go.
  const verifier = (op: VerifierOp): SchemaOp => ({ Ensure: { verifiers: { Modify: new Map([[convener, op]]) } } })
  return [write(verifier('Ensure')), write(verifier('Discard'))]
}
