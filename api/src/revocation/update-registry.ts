import { parseHex32 } from '@accredit/chain'
import { Type } from 'typebox'
import { JobStarted } from '../jobs/job.shape.js'
import { jobStarted } from '../ledger/write/wait-for-job.js'
import type { Tx } from '../platform/database/database.js'
import { ApiError, invalid, notFound } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { CredentialId, parseCredentialId } from '../platform/http/identifiers.js'
import { operation } from '../platform/http/operation.js'
import { bookIndexes, findEntries } from '../status/entries.store.js'
import type { RegistryRow } from '../status/registry.store.js'
import { revocationIdOf } from '../status/revocation-id.js'
import { RegistryId } from './registry.shape.js'
import { findOwnRegistry, requireOpen } from './registry.store.js'
import { changeStatus } from './registry-actions.js'

const Body = Type.Object({
  action: Type.Enum(['revoke', 'unrevoke'], { default: 'revoke', description: 'The change to make to them' }),
  credentialIds: Type.Array(CredentialId, {
    minItems: 1,
    maxItems: 10_000,
    uniqueItems: true,
    description: 'Ids of credentials, whether they were issued here or not',
  }),
})

/** The check of ids by another capability: throws when a credential with one of them has its status elsewhere. */
export type CheckIds = (tx: Tx, ctx: Context, registry: RegistryRow, ids: readonly string[]) => Promise<void>

export const updateRegistry = (check: CheckIds) =>
  operation({
    method: 'POST',
    url: '/registries/:id',
    operationId: 'updateRegistry',
    tags: ['registries'],
    summary: 'Revoke or unrevoke credentials by their ids',
    description:
      'Doing either twice changes nothing. An id that several credentials share stands for all of them in this registry; POST /credentials/{id}/revoke is for those in all. An id that was never issued here gets a place in the registry. 409 for the id of a credential of yours that has its status in another registry, and for an address of this service that is no id of a credential of yours.',
    auth: 'key',
    role: 'member',
    ledgerWrite: true,
    tenancy: 'owned',
    input: 'deciding',
    params: Type.Object({ id: RegistryId }),
    body: Body,
    examples: {
      'Revoke one': { action: 'revoke', credentialIds: ['urn:uuid:3f2504e0-4f89-41d3-9a0c-0305e82c3301'] },
    },
    response: {
      200: Type.Object({
        id: JobStarted.properties.id,
        data: Type.Object(
          {
            revokeIds: Type.Array(Type.String(), {
              description: 'The ids by which the ledger knows them, in the order of the request',
            }),
          },
          { description: 'The change that was made' },
        ),
      }),
    },
    errors: ['registry_add_only', 'too_many', 'not_found', 'ledger_unavailable'],
    handler: async (ctx, { params, body }) => {
      const ids = body.credentialIds.map(readId)
      const revokeIds = ids.map(revocationIdOf)
      return ctx.db.transaction(ctx.scope, async (tx) => {
        const id = parseHex32(params.id)
        const registry = id && (await findOwnRegistry(tx, ctx.team, id))
        if (!registry || registry.status === 'removing') throw notFound('Registry')
        refuseUnrevoke(registry, body.action)
        await check(tx, ctx, registry, ids)
        const indexes = await indexesOf(tx, ctx, registry, revokeIds)
        const job = await changeStatus(tx, ctx, body.action, [{ registry, indexes }])
        await tx.audit({ action: 'updateRegistry', subject: registry.id, after: { action: body.action, revokeIds } })
        return tx.answer(jobStarted(ctx, job, { revokeIds }))
      })
    },
  })

function readId(text: string, place: number): string {
  const id = parseCredentialId(text)
  if (id === undefined)
    throw invalid(`credentialIds[${place}] must be a URI or a UUID`, { field: `credentialIds.${place}` })
  return id
}

export function refuseUnrevoke(registry: RegistryRow, action: 'revoke' | 'unrevoke'): void {
  if (registry.add_only && action === 'unrevoke')
    throw new ApiError('registry_add_only', 'The registry is add-only: what was revoked in it stays revoked')
}

/** The indexes of these ids; an unknown id gets a new one. */
async function indexesOf(tx: Tx, ctx: Context, registry: RegistryRow, revocationIds: string[]): Promise<number[]> {
  const entries = await findEntries(tx, registry.id, revocationIds)
  const known = new Set(entries.map((entry) => entry.revocation_id))
  const fresh = [...new Set(revocationIds)].filter((one) => !known.has(one))
  if (fresh.length > 0) requireOpen(registry)
  const booked = await bookIndexes(tx, { registry, team: ctx.team }, fresh, ctx.random)
  if (booked === undefined) throw new ApiError('too_many', 'The registry is full')
  return [...entries.map(({ index }) => index), ...booked.values()]
}
