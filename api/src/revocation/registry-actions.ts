import { calls, type Did, parseDid, type RegistryKind } from '@accredit/chain'
import { type ActingKey, actingKey, actingKeyHere } from '../dids/did.store.js'
import { type JobPart, type StartedJob, startJob } from '../ledger/write/start-job.js'
import type { Tx } from '../platform/database/database.js'
import { ApiError, invalid } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { ledgerId } from '../status/bit-calls.js'
import { markTouched } from '../status/entries.store.js'
import type { RegistryRow } from '../status/registry.store.js'
import type { ListTerms } from '../status/registry.tables.js'
import { bareHex } from '../status/revocation-id.js'
import { dispatch } from './dispatch.js'
import { insertRegistry, markRemoving } from './registry.store.js'
import { plansOf } from './status-updates.js'

function ledgerDid(text: string): Did {
  const did = parseDid(text)
  if (!did) throw invalid(`${text} is not a DID that the ledger knows`)
  return did
}

export type NewRegistry = Pick<
  RegistryRow,
  'id' | 'creator' | 'policy' | 'add_only' | 'type' | 'length' | 'automatic' | 'issuing' | keyof ListTerms
>

/**
 * Stores a registry and the job that brings it to the ledger, made by its creator.
 * @returns undefined when another request has just made the creator's issuing registry
 */
export async function createOnLedger(
  tx: Tx,
  ctx: Pick<Context, 'team' | 'random' | 'clock'>,
  registry: NewRegistry,
  kind: RegistryKind,
): Promise<StartedJob | undefined> {
  const acting = await actingKey(tx, registry.creator)
  const call = calls.revocation.create({
    registryId: ledgerId(registry.id),
    policy: registry.policy.map(ledgerDid),
    addOnly: registry.add_only,
    kind,
  })
  // The row comes first: a request that loses the race for the creator's issuing registry must not start a job.
  const row: RegistryRow = {
    ...registry,
    closed: false,
    team_id: ctx.team,
    status: 'pending',
    job_id: '',
    created: ctx.clock.now(),
  }
  if (!(await insertRegistry(tx, row))) return undefined
  const parts: JobPart[] = [{ did: acting.did, action: dispatch(acting, call) }]
  const job = await startJob(tx, ctx, { kind: 'registry.create', subject: registry.id, parts })
  await tx.updateTable('revocation_registries').set({ job_id: job.id }).where('id', '=', registry.id).execute()
  return job
}

/** The key of the first DID of the policy that has one here, the creator first. */
export async function actingFor(tx: Tx, { creator, policy }: RegistryRow): Promise<ActingKey | undefined> {
  for (const did of new Set([creator, ...policy])) {
    const key = await actingKeyHere(tx, did)
    if (key) return key
  }
  return undefined
}

/** @param registries ids */
export const nobodyActs = (registries: readonly string[]): ApiError =>
  new ApiError(
    'conflict',
    `None of your DIDs in the policy of the registry ${registries.map(bareHex).join(' and ')} can act any more, so that nothing was done`,
  )

export interface StatusChange {
  registry: RegistryRow
  indexes: number[]
}

/**
 * Starts one job that sets or clears the bits of these indexes, in parts the ledger can take.
 * @throws 409 when there is a registry that none of the team's DIDs can change any more: nothing is done in the others
 */
export async function changeStatus(
  tx: Tx,
  ctx: Pick<Context, 'team' | 'random' | 'clock' | 'statusMethods'>,
  action: 'revoke' | 'unrevoke',
  changes: readonly StatusChange[],
): Promise<StartedJob> {
  const parts: JobPart[] = []
  const lost: string[] = []
  for (const { registry, indexes } of changes) {
    const acting = await actingFor(tx, registry)
    if (acting === undefined) {
      lost.push(registry.id)
      continue
    }
    const { change } = ctx.statusMethods.of(registry)
    if (change.by === 'updates') parts.push(...plansOf(change, acting.did, { action, registry: registry.id, indexes }))
    else
      for (const call of change.callsFor(registry, { revoke: [], unrevoke: [], [action]: indexes }))
        parts.push({ did: acting.did, action: dispatch(acting, call) })
    await markTouched(tx, registry.id, indexes, ctx.clock.now())
  }
  if (lost.length > 0) throw nobodyActs(lost)
  const subject = changes[0]?.registry.id
  return startJob(tx, ctx, { kind: `status.${action}`, ...(subject !== undefined && { subject }), parts })
}

/** Starts the removal of a registry; what it lists fails closed from then on. */
export async function removeFromLedger(tx: Tx, ctx: Context, registry: RegistryRow): Promise<StartedJob> {
  const acting = await actingFor(tx, registry)
  if (acting === undefined) throw nobodyActs([registry.id])
  const call = calls.revocation.remove({ registryId: ledgerId(registry.id) })
  await markRemoving(tx, registry.id)
  const parts: JobPart[] = [{ did: acting.did, action: dispatch(acting, call) }]
  return startJob(tx, ctx, { kind: 'registry.delete', subject: registry.id, parts })
}
