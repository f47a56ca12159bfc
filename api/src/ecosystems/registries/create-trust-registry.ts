import { calls, type Did, type Hex32, hex32Of } from '@accredit/chain'
import { ownDid } from '../../dids/did.store.js'
import { didParam } from '../../dids/did-param.js'
import { keepsOwnKey, notYours } from '../../dids/wallet/did-proof.store.js'
import type { Tx } from '../../platform/database/database.js'
import { ApiError, invalid } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { operation } from '../../platform/http/operation.js'
import { EXAMPLE, EXAMPLE_TEXTS } from '../../platform/http/reference/examples.js'
import { profileOf } from '../../profiles/profile.store.js'
import { JOB } from '../job-kinds.js'
import { answerAccepted, startRegistryJob } from '../registry-job.js'
import { waitUntilIndexed } from '../wait-until-indexed.js'
import { claimSlug, countPending, insertRegistry, insertVersion } from './registry.store.js'
import { pendingRegistryView, presentRegistry } from './registry.view.js'
import { registryRules, registryTexts } from './registry-texts.js'
import { bodyBytes, TrustRegistry, TrustRegistryCreate, type TrustRegistryUpdate } from './trust-registry.shape.js'

export const createTrustRegistry = operation({
  method: 'POST',
  url: '/trust-registries',
  operationId: 'createTrustRegistry',
  tags: ['trustRegistries'],
  summary: 'Create a trust registry',
  description:
    'The convener is a DID of yours with a profile; it signs what is written in the name of the registry. The answer waits until the registry is on the ledger. A convener that keeps its own key, and of which you brought something that it signed, signs the registry itself (GET /trust-registries/{registryId}/waiting-actions says what): until then the answer is pending, and when it takes too long the job fails.',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'owned',
  body: TrustRegistryCreate,
  examples: { 'Universities and their degrees': { convener: EXAMPLE.convener, ...EXAMPLE_TEXTS } },
  rules: registryRules,
  response: { 200: TrustRegistry },
  errors: ['did_method_not_supported', 'too_many', 'not_found', 'ledger_unavailable'],
  limits: { bodyBytes },
  handler: async (ctx, { body }) => {
    const convener = didParam(body.convener, 'convener')
    const id = hex32Of(ctx.random.bytes(32))
    const { job, answer } = await store(ctx, id, convener, body)
    return (await waitUntilIndexed(ctx, job)) ? presentRegistry(ctx, id, answer) : answer
  },
})

/**
 * Throws 404 for a convener that is not the team's, and 409 when many registries wait for signatures of the team's
 * conveners.
 */
async function roomForWaiting(tx: Tx, ctx: Context, convener: Did): Promise<void> {
  if (!(await keepsOwnKey(tx, ctx.team, convener))) throw notYours()
  const { open } = ctx.config.preparedActions
  if ((await countPending(tx, ctx.team)) >= open)
    throw new ApiError('too_many', `More than ${open} trust registries wait for the signatures of their conveners`)
}

function store(ctx: Context, id: Hex32, convener: Did, body: TrustRegistryUpdate) {
  const created = ctx.clock.now()
  return ctx.db.transaction(ctx.scope, async (tx) => {
    if (!(await ownDid(tx, convener))) await roomForWaiting(tx, ctx, convener)
    const texts = await registryTexts(tx, ctx, id, body)
    const profile = await profileOf(tx, convener)
    if (!profile) throw invalid('The convener needs a profile: make one with POST /profiles')
    const slug = await claimSlug(tx, ctx.team, id, texts.name)
    const call = calls.trustRegistry.initOrUpdate({
      registryId: id,
      name: texts.name,
      govFramework: texts.governance_reference,
    })
    const job = await startRegistryJob(tx, ctx, { kind: JOB.create, registryId: id, actor: convener, calls: [call] })
    const row = { registry_id: id, team_id: ctx.team, convener, created }
    await insertRegistry(tx, { ...row, state: 'pending', job_id: job.id })
    await insertVersion(tx, {
      registry_id: id,
      team_id: ctx.team,
      version: 1,
      slug,
      texts,
      job_id: job.id,
      from_time: created,
    })
    await tx.audit({ action: 'createTrustRegistry', subject: id, after: { convener, name: texts.name, slug } })
    return { job, answer: await answerAccepted(tx, ctx, job, pendingRegistryView({ ...row, ...texts, slug }, profile)) }
  })
}
