import { calls, type Did, type Hex32 } from '@accredit/chain'
import { ownDid } from '../../dids/did.store.js'
import { didParam, namedDid } from '../../dids/did-param.js'
import { delegatesOf } from '../../ledger/read/participants/delegates.js'
import { NO_JOB } from '../../ledger/write/wait-for-job.js'
import type { Tx } from '../../platform/database/database.js'
import { ApiError, invalid, notFound } from '../../platform/errors.js'
import { changedMeanwhile, entityTag, isMatch } from '../../platform/http/caching/entity-tag.js'
import type { Context } from '../../platform/http/context.js'
import { operation } from '../../platform/http/operation.js'
import { EXAMPLE } from '../../platform/http/reference/examples.js'
import { JOB } from '../job-kinds.js'
import { lockParticipant } from '../participants/participant.store.js'
import { delegatesWith, pendingChanges } from '../pending/pending-changes.js'
import { presentPoint, readPoint } from '../read-point.js'
import { type IssuerAccess, issuerFor } from '../registries/access.js'
import { answerAccepted, startRegistryJob } from '../registry-job.js'
import { waitUntilIndexed } from '../wait-until-indexed.js'
import { Delegates, DelegatesParams } from './delegates.shape.js'
import { taggedDelegates } from './delegates.view.js'

export const setDelegates = operation({
  method: 'PUT',
  url: '/trust-registries/:registryId/issuers/:did/delegates',
  operationId: 'setDelegates',
  tags: ['trustRegistries'],
  summary: 'Say who may issue in the name of an issuer of yours',
  description:
    'Signed by the issuer, whose key must be here; one that keeps its own key sends `TrustRegistry.update_delegated_issuers` to POST /ledger/actions. The list takes the place of the one that is there; with If-Match, the ETag of what was read, nothing is changed (412) when the list became another one since then, or when another change of it is on its way to the ledger. A delegate may issue all that the issuer may issue in this registry, and cannot hand it on; it may not while the issuer is suspended, and no more when the issuer lost its last schema.',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'shared',
  input: 'deciding',
  tagged: true,
  params: DelegatesParams,
  body: Delegates,
  examples: { 'One delegate': { delegates: [EXAMPLE.newcomer] } },
  response: { 200: Delegates },
  errors: ['did_method_not_supported', 'forbidden', 'not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, body }) => {
    didParam(params.did, 'did')
    const access = await issuerFor(ctx, params, await presentPoint(ctx))
    const delegates = named(body.delegates, access.issuer)
    const { job, answer, isAhead } = await ctx.db.transaction(ctx.scope, (tx) => store(tx, ctx, access, delegates))
    if (!(await waitUntilIndexed(ctx, job)) || (isAhead && job.id === NO_JOB.id)) return answer
    return taggedDelegates(ctx, (await issuerFor(ctx, params, await readPoint(ctx))).delegates)
  },
})

/** Returns the delegates that a caller names, each once. */
function named(texts: readonly string[], issuer: Did): Did[] {
  const delegates = new Set(texts.map((text, index) => namedDid(text, `delegates.${index}`)))
  if (delegates.has(issuer)) throw invalid('delegates: an issuer is not its own delegate')
  return [...delegates]
}

async function store(tx: Tx, ctx: Context, { registry, issuer }: IssuerAccess, wanted: readonly Did[]) {
  if (!(await ownDid(tx, issuer)))
    throw new ApiError('forbidden', 'Only the issuer says who its delegates are, and its key is not here for you')
  await lockParticipant(tx, registry.id, issuer)
  // The delegates are read behind the lock: a change that reached the ledger a moment ago counts.
  const point = await presentPoint(ctx)
  const present = await delegatesOf(tx, point, registry.id, issuer)
  if (present === undefined) throw notFound('Issuer')
  const toBe = delegatesWith(present, issuer, await pendingChanges(tx, registry.id, point, { did: issuer }))
  const isAhead = toBe.join() !== present.join()
  requireMatch(ctx, present, isAhead)
  const job = await startRegistryJob(tx, ctx, {
    kind: JOB.change,
    registryId: registry.id,
    actor: issuer,
    data: { did: issuer },
    calls: delegatesCalls(registry.id, toBe, wanted),
  })
  await tx.audit({
    action: 'setDelegates',
    subject: registry.id,
    detail: { did: issuer },
    before: { delegates: [...toBe] },
    after: { delegates: [...wanted] },
  })
  const answer = await answerAccepted(tx, ctx, job, { delegates: [...wanted].sort() })
  return { job, answer, isAhead }
}

/** Refuses a caller that has not seen a pending change, which somebody else asked for. */
function requireMatch({ ifMatch }: Context, delegates: readonly Did[], isAhead: boolean): void {
  if (ifMatch === undefined) return
  if (isAhead || !isMatch(ifMatch, entityTag({ delegates }))) throw changedMeanwhile('The list of delegates')
}

/**
 * The call names only the differences, so that a delegate that another client adds or removes at the same moment stays
 * so.
 */
function delegatesCalls(registryId: Hex32, toBe: readonly Did[], wanted: readonly Did[]): Uint8Array[] {
  const ops = new Map<Did, 'Add' | 'Remove'>()
  for (const delegate of wanted) if (!toBe.includes(delegate)) ops.set(delegate, 'Add')
  for (const delegate of toBe) if (!wanted.includes(delegate)) ops.set(delegate, 'Remove')
  return ops.size === 0 ? [] : [calls.trustRegistry.updateDelegatedIssuers({ registryId, delegated: { Modify: ops } })]
}
