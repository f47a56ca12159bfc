import { calls } from '@accredit/chain'
import { NO_JOB } from '../ledger/wait-for-job.js'
import type { Context } from '../platform/context.js'
import type { Tx } from '../platform/database/database.js'
import { operation } from '../platform/operation.js'
import { type Access, ownRegistry } from './access.js'
import { JOB } from './ecosystems.jobs.js'
import { type RegistryRow, summaryOf } from './registry.queries.js'
import {
  claimSlug,
  insertRegistry,
  insertVersion,
  lockNewestVersion,
  nextVersionNumber,
  type RegistryTexts,
} from './registry.store.js'
import { pendingRegistryView, presentRegistry } from './registry.view.js'
import { answerAccepted, startRegistryJob } from './registry-job.js'
import { registryTexts } from './registry-texts.js'
import { settle } from './settle.js'
import { bodyBytes, RegistryParams, TrustRegistry, TrustRegistryUpdate } from './trust-registry.shape.js'

export const updateTrustRegistry = operation({
  method: 'PATCH',
  url: '/trust-registries/:registryId',
  operationId: 'updateTrustRegistry',
  tags: ['trustRegistries'],
  summary: 'Change what a trust registry says of itself',
  description:
    'All members are required. A change of name or governance framework is written to the ledger; without one there is nothing to wait for, and Accredit-Job is 0. The slug follows the name.',
  auth: 'key',
  tenancy: 'owned',
  params: RegistryParams,
  body: TrustRegistryUpdate,
  response: { 200: TrustRegistry },
  codes: [400, 402, 403, 404, 409],
  limits: { bodyBytes },
  handler: async (ctx, { params, body }) => {
    const access = await ownRegistry(ctx, params.registryId)
    const { job, answer } = await ctx.db.transaction(ctx.scope, async (tx) =>
      store(tx, ctx, access, await registryTexts(tx, ctx, access.registry.id, body)),
    )
    return (await settle(ctx, job)) ? presentRegistry(ctx, access.registry.id, answer) : answer
  },
})

type OnLedger = Pick<RegistryTexts, 'name' | 'governance_reference'>

const sameOnLedger = (a: OnLedger, b: OnLedger): boolean =>
  a.name === b.name && a.governance_reference === b.governance_reference

async function store(tx: Tx, ctx: Context, { point, registry }: Access, texts: RegistryTexts) {
  const [registry_id, team_id, now] = [registry.id, ctx.team, ctx.clock.now()]
  const row = { registry_id, team_id, convener: registry.convener, created: registry.created }
  // A registry that was made without this service gets its row with its first text.
  await insertRegistry(tx, { ...row, state: 'active', job_id: NO_JOB.id })
  const newest = await lockNewestVersion(tx, registry_id)
  const slug = newest?.name === texts.name ? newest.slug : await claimSlug(tx, team_id, registry_id, texts.name)

  const ledger = { name: registry.name, governance_reference: registry.gov_framework }
  // The newest text may still be on its way, and may yet be refused: it counts as well as what the ledger has.
  const unchanged = sameOnLedger(texts, ledger) && sameOnLedger(texts, newest ?? ledger)
  const job = unchanged ? NO_JOB : await startUpdate(tx, ctx, registry, texts)

  await insertVersion(tx, {
    ...{ registry_id, team_id, slug, texts, from_time: now },
    version: await nextVersionNumber(tx, registry_id),
    job_id: unchanged ? undefined : job.id,
  })
  await tx.audit({ action: 'updateTrustRegistry', subject: registry_id })
  const summary = await summaryOf(tx, point, registry_id)
  return {
    job,
    answer: await answerAccepted(tx, ctx, job, pendingRegistryView({ ...row, ...texts, slug }, undefined, summary)),
  }
}

/** The ledger's part of a registry's texts, in its convener's name. */
function startUpdate(tx: Tx, ctx: Context, { id: registryId, convener: actor }: RegistryRow, texts: RegistryTexts) {
  const call = calls.trustRegistry.initOrUpdate({
    registryId,
    name: texts.name,
    govFramework: texts.governance_reference,
  })
  return startRegistryJob(tx, ctx, { kind: JOB.update, registryId, actor, calls: [call] })
}
