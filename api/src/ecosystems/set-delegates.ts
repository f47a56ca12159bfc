import { calls, type Did } from '@accredit/chain'
import { ownDid } from '../dids/did.store.js'
import type { Context } from '../platform/context.js'
import { ApiError, invalid } from '../platform/errors.js'
import { operation } from '../platform/operation.js'
import { Delegates, DelegatesParams, type IssuerAccess, issuerFor } from './delegates.js'
import { didParam } from './did-param.js'
import { JOB } from './ecosystems.jobs.js'
import { presentPoint, readPoint } from './read-point.js'
import { answerAccepted, startRegistryJob } from './registry-job.js'
import { settle } from './settle.js'

export const setDelegates = operation({
  method: 'PUT',
  url: '/trust-registries/:registryId/issuers/:did/delegates',
  operationId: 'setDelegates',
  tags: ['trustRegistries'],
  summary: 'Say who may issue in the name of an issuer of yours',
  description:
    'Signed by the issuer, whose key must be here; one that keeps its own key sends `TrustRegistry.update_delegated_issuers` to POST /ledger/actions. The list takes the place of the one that is there. A delegate may issue all that the issuer may issue in this registry, and cannot hand it on; it may not while the issuer is suspended, and no more when the issuer lost its last schema.',
  auth: 'key',
  ledgerWrite: true,
  tenancy: 'shared',
  params: DelegatesParams,
  body: Delegates,
  response: { 200: Delegates },
  codes: [400, 402, 403, 404],
  handler: async (ctx, { params, body }) => {
    const access = await issuerFor(ctx, params, await presentPoint(ctx))
    const delegates = named(body.delegates, access.issuer)
    const { job, answer } = await store(ctx, access, delegates)
    if (!(await settle(ctx, job))) return answer
    return { delegates: (await issuerFor(ctx, params, await readPoint(ctx))).delegates }
  },
})

/** Whom a caller names, each once. */
function named(texts: readonly string[], issuer: Did): Did[] {
  const delegates = new Set(texts.map((text, index) => didParam(text, `delegates.${index}`)))
  if (delegates.has(issuer)) throw invalid('delegates: an issuer is not its own delegate')
  return [...delegates]
}

function store(ctx: Context, { registry, issuer }: IssuerAccess, delegates: Did[]) {
  const call = calls.trustRegistry.updateDelegatedIssuers({ registryId: registry.id, delegated: { Set: delegates } })
  return ctx.db.transaction(ctx.scope, async (tx) => {
    if (!(await ownDid(tx, issuer)))
      throw new ApiError('forbidden', 'Only the issuer says who its delegates are, and its key is not here for you')
    const action = { kind: JOB.change, registryId: registry.id, actor: issuer, calls: [call], data: { did: issuer } }
    const job = await startRegistryJob(tx, ctx, action)
    await tx.audit({ action: 'setDelegates', subject: registry.id, detail: { did: issuer, delegates } })
    return { job, answer: await answerAccepted(tx, ctx, job, { delegates }) }
  })
}
