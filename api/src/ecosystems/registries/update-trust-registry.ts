import { calls } from '@accredit/chain'
import { summaryOf } from '../../ledger/read/registries/registry-states.js'
import { NO_JOB } from '../../ledger/write/wait-for-job.js'
import type { Tx } from '../../platform/database/database.js'
import { changedMeanwhile, entityTag, isMatch } from '../../platform/http/caching/entity-tag.js'
import type { Context } from '../../platform/http/context.js'
import { operation } from '../../platform/http/operation.js'
import { refusalOf } from '../../platform/http/problems.js'
import { EXAMPLE_TEXTS } from '../../platform/http/reference/examples.js'
import { JOB } from '../job-kinds.js'
import { presentPoint } from '../read-point.js'
import { answerAccepted, startRegistryJob } from '../registry-job.js'
import { waitUntilIndexed } from '../wait-until-indexed.js'
import { ownRegistry, registryNotFound } from './access.js'
import { type RegistryRow, registryAt } from './registry.queries.js'
import {
  claimSlug,
  insertRegistry,
  insertVersion,
  lockNewestVersion,
  nextVersionNumber,
  type RegistryTexts,
  type RegistryVersion,
} from './registry.store.js'
import { pendingRegistryView, presentRegistry, registryView } from './registry.view.js'
import { registryRules, registryTexts } from './registry-texts.js'
import { bodyBytes, RegistryParams, TEXT_FIELDS, TrustRegistry, TrustRegistryUpdate } from './trust-registry.shape.js'

export const updateTrustRegistry = operation({
  method: 'PATCH',
  url: '/trust-registries/:registryId',
  operationId: 'updateTrustRegistry',
  tags: ['trustRegistries'],
  summary: 'Change what a trust registry says of itself',
  description:
    'All members are required, and replace what was there. Sent as application/merge-patch+json (RFC 7396), members that are not named stay as they are, also as somebody else leaves them at the same moment. With If-Match, the ETag of what was read, nothing is changed (412) when the registry became another one since then, or when another change of it is on its way to the ledger. A change of name or governance framework is written to the ledger; without one there is nothing to wait for, and Accredit-Job is 0. The slug follows the name.',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'owned',
  tagged: true,
  params: RegistryParams,
  body: TrustRegistryUpdate,
  examples: { 'All its texts': EXAMPLE_TEXTS },
  rules: registryRules,
  response: { 200: TrustRegistry },
  errors: ['forbidden', 'not_found', 'ledger_unavailable'],
  limits: { bodyBytes },
  handler: async (ctx, { params, body }) => {
    if (!isMergePatch(ctx)) requireAll(body)
    const { registry } = await ownRegistry(ctx, params.registryId)
    const { job, answer } = await ctx.db.transaction(ctx.scope, (tx) => store(tx, ctx, registry, body))
    return (await waitUntilIndexed(ctx, job)) ? presentRegistry(ctx, registry.id, answer) : answer
  },
})

const isMergePatch = ({ contentType = '' }: Context): boolean =>
  /^application\/merge-patch\+json *(;|$)/i.test(contentType)

function requireAll(body: TrustRegistryUpdate): void {
  const missing = TEXT_FIELDS.filter((field) => !(field in body))
  if (missing.length > 0)
    throw refusalOf(
      missing.map((field) => ({
        path: `/${field}`,
        message: `${field} is missing; send application/merge-patch+json to change some members only`,
      })),
    )
}

/** Refuses a caller that has not seen a pending change, which somebody else asked for. */
function requireMatch({ ifMatch }: Context, present: TrustRegistry, newest: RegistryVersion | undefined): void {
  if (ifMatch === undefined) return
  if (newest?.state === 'pending' || !isMatch(ifMatch, entityTag(present))) throw changedMeanwhile('The trust registry')
}

type OnLedger = Pick<RegistryTexts, 'name' | 'governance_reference'>

const sameOnLedger = (a: OnLedger, b: OnLedger): boolean =>
  a.name === b.name && a.governance_reference === b.governance_reference

async function store(tx: Tx, ctx: Context, { id, convener, created }: RegistryRow, body: TrustRegistryUpdate) {
  const [registry_id, team_id, now] = [id, ctx.team, ctx.clock.now()]
  const row = { registry_id, team_id, convener, created }
  // A registry that was made without this service gets its row with its first text.
  await insertRegistry(tx, { ...row, state: 'active', job_id: NO_JOB.id })
  const newest = await lockNewestVersion(tx, registry_id)
  // The texts are read behind the lock: a change that reached the ledger a moment ago counts.
  const point = await presentPoint(ctx)
  const registry = await registryAt(tx, point, { id })
  if (!registry) throw registryNotFound()
  const summary = await summaryOf(tx, point, registry_id)
  requireMatch(ctx, registryView(registry, true, summary), newest)
  const texts = await registryTexts(tx, ctx, id, body, isMergePatch(ctx) ? presentTexts(registry, newest) : undefined)
  const slug = newest?.name === texts.name ? newest.slug : await claimSlug(tx, team_id, registry_id, texts.name)

  const ledger = { name: registry.name, governance_reference: registry.gov_framework }
  // The newest text may still be on its way, and may yet be refused: it counts as well as what the ledger has.
  const unchanged = sameOnLedger(texts, ledger) && sameOnLedger(texts, newest?.state === 'pending' ? newest : ledger)
  const job = unchanged ? NO_JOB : await startUpdate(tx, ctx, registry, texts)

  await insertVersion(tx, {
    registry_id,
    team_id,
    slug,
    texts,
    from_time: now,
    version: await nextVersionNumber(tx, registry_id),
    job_id: unchanged ? undefined : job.id,
  })
  await tx.audit({
    action: 'updateTrustRegistry',
    subject: registry_id,
    before: { name: registry.name, governanceReference: registry.gov_framework },
    after: { name: texts.name, governanceReference: texts.governance_reference, slug },
  })
  const { convener_name: shown, convener_logo_url: logo } = registry
  const profile = shown === null ? undefined : { name: shown, logo: logo ?? '' }
  return {
    job,
    answer: await answerAccepted(tx, ctx, job, pendingRegistryView({ ...row, ...texts, slug }, profile, summary)),
  }
}

/** Returns the texts of a registry before the change: the pending version, else those of the ledger and our rows. */
function presentTexts(registry: RegistryRow, newest: RegistryVersion | undefined): Partial<RegistryTexts> {
  if (newest === undefined || newest.state === 'pending') return newest ?? { name: registry.name }
  const { governance_framework, governance_framework_version, ...others } = newest
  if (registry.governance_framework === null || registry.governance_framework_version === null)
    return { ...others, name: registry.name }
  return {
    ...others,
    name: registry.name,
    governance_framework: registry.governance_framework,
    governance_framework_version: registry.governance_framework_version,
  }
}

/** Returns the call for the ledger's part of a registry's texts, in its convener's name. */
function startUpdate(tx: Tx, ctx: Context, { id: registryId, convener: actor }: RegistryRow, texts: RegistryTexts) {
  const call = calls.trustRegistry.initOrUpdate({
    registryId,
    name: texts.name,
    govFramework: texts.governance_reference,
  })
  return startRegistryJob(tx, ctx, { kind: JOB.update, registryId, actor, calls: [call] })
}
