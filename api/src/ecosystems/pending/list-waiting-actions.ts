import { bytesOf, type CallDescription, describeCalls, describedParams, didCallNamed, hexIn } from '@accredit/chain'
import { Type } from 'typebox'
import type { Context } from '../../platform/http/context.js'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { ownRegistry } from '../registries/access.js'
import { ownPendingRegistry } from '../registries/registry.store.js'
import { registryRef } from '../registries/slug.js'
import { RegistryParams } from '../registries/trust-registry.shape.js'
import { pendingSignatures } from './pending-signatures.queries.js'

export const listWaitingActions = operation({
  method: 'GET',
  url: '/trust-registries/:registryId/waiting-actions',
  operationId: 'listWaitingActions',
  tags: ['trustRegistries'],
  summary: 'List what waits for the signature of a convener that keeps its own key',
  description:
    'Newest first, so that signing begins at the end: what guests accepted and what the convener’s team asked for, a registry that is to be among it. `did` and `actions` with a `keyId` are what POST /ledger/actions/prepare takes. A job ends when the ledger says what it is for, by whatever calls, together with whatever else, and whoever brought them there. Where a call has an `expectedVersion`, it is the registry’s of now: when the registry changes before it is signed (`refusal` is `TrustRegistry.VersionMismatch`), list again. Past `expires`, or when the registry gets another convener or is removed, or when the job is withdrawn, it fails.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: RegistryParams,
  querystring: pageQuery(),
  response: {
    200: Type.Object({
      total: Type.Integer({ description: 'The number of entries, on all pages' }),
      list: Type.Array(
        Type.Object({
          did: Type.String({ description: 'The convener' }),
          actions: Type.Array(
            Type.Object({
              action: Type.String({ description: 'Its name' }),
              params: Type.Object(
                {},
                { additionalProperties: true, description: 'By the names of the ledger’s metadata' },
              ),
            }),
            { description: 'Signed together: all of them happen, or none' },
          ),
          job: Type.String({ description: 'That of whoever asked for it' }),
          created: Type.String({ format: 'date-time', description: 'The time at which it was asked for' }),
          expires: Type.String({
            format: 'date-time',
            description: 'The time at which it fails, unless it was signed',
          }),
        }),
        { description: 'This page of them' },
      ),
    }),
  },
  errors: ['forbidden', 'not_found', 'conflict', 'ledger_unavailable'],
  handler: async (ctx, { params, query }) => {
    const { id: registryId, version } = await signedRegistry(ctx, params.registryId)
    // The actions that guests accepted are jobs of other teams.
    const { total, list } = await ctx.db.read('system', (reader) => pendingSignatures(reader, registryId, query))
    return {
      total,
      list: list.map(({ did, calls, job, created, expires }) => ({
        did,
        job,
        created: created.toISOString(),
        expires: expires.toISOString(),
        actions: describeCalls(calls.map((call) => bytesOf(hexIn(call)))).map((call) => asRequest(call, version)),
      })),
    }
  },
})

/** Returns a registry of the team; also one that its convener has yet to sign. */
async function signedRegistry(ctx: Context, refText: string): Promise<{ id: string; version: number }> {
  const ref = registryRef(refText)
  const pending = await ctx.db.read(ctx.scope, (reader) => ownPendingRegistry(reader, ctx.team, ref))
  return pending ? { id: pending.registry_id, version: 0 } : (await ownRegistry(ctx, refText)).registry
}

/**
 * Writes a call as POST /ledger/actions/prepare takes it: the signer sees where it follows a version of the registry.
 */
function asRequest(described: CallDescription, version: number) {
  const named = didCallNamed(`${described.pallet}.${described.call}`)
  const params = describedParams(described)
  if (named === undefined) throw new Error('what waits is no call of a DID')
  const follows = typeof params.expectedVersion === 'number'
  return { action: named.name, params: { ...params, ...(follows && { expectedVersion: version }) } }
}
