import { calls, didToHex, parseDid } from '@accredit/chain'
import { Type } from 'typebox'
import { startJob } from '../ledger/write/start-job.js'
import { jobStarted, NO_JOB } from '../ledger/write/wait-for-job.js'
import type { Reader, Tx } from '../platform/database/database.js'
import { ApiError, notFound } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { operation } from '../platform/http/operation.js'
import { openChange } from './changes/open-jobs.store.js'
import { DidDeleted, DidParams } from './did.shape.js'
import { actingKey, lockDid, ownDid } from './did.store.js'
import { forgetDid } from './forgotten-did.store.js'
import { convenes } from './resolution/did-lookup.js'

/** The work that another capability does while the keys of a DID can still sign. */
export interface BeforeDidEnds {
  /** Runs before the transaction, and may take a while. Throws when the DID must not end now. */
  prepare(ctx: Context, did: string): Promise<void>
  /**
   * Runs in the transaction that ends the DID, which nobody else uses meanwhile. Throws when there is more to prepare.
   */
  check(tx: Tx, did: string): Promise<void>
}

export const deleteDid = (before: BeforeDidEnds) =>
  operation({
    method: 'DELETE',
    url: '/dids/:did',
    operationId: 'deleteDid',
    tags: ['dids'],
    summary: 'Delete a DID',
    description:
      'Deactivates it on the ledger for ever and destroys its keys when that is final, but for the one that checks what it issued with bbdt16, which issues no more. Refused while it convenes a registry. What it signed before stays good, and can be revoked only where another DID of yours stands in the policy of the registry, which then signs the status list too; without one the last list stays until somebody else of the policy changes a status. Waits for what it does on the ledger, as far as statuses may hang on it, while that is on its way: 409 when they take too long. A did:key is only forgotten here, and so is, with fromBlockchain=false, a ledger DID: nobody can ever change that one again.',
    auth: 'key',
    role: 'member',
    ledgerWrite: true,
    tenancy: 'owned',
    params: DidParams,
    querystring: Type.Object({
      fromBlockchain: Type.Boolean({ default: true, description: 'Also deactivate it on the ledger' }),
    }),
    response: { 200: DidDeleted },
    errors: ['not_found'],
    handler: async (ctx, { params, query }) => {
      await ctx.db.read(ctx.scope, async (reader) => {
        if ((await ownDid(reader, params.did)) === undefined) throw notFound('DID')
        await refuseConvener(reader, params.did)
      })
      // The actions that it signs are kept, which a dry run must not do.
      if (!ctx.isDryRun) await before.prepare(ctx, params.did)
      return ctx.db.transaction(ctx.scope, async (tx) => {
        const own = await lockDid(tx, params.did)
        if (own === undefined) throw notFound('DID')
        await refuseConvener(tx, own.did)
        await before.check(tx, own.did)
        const job = own.type === 'key' || !query.fromBlockchain ? undefined : await deactivate(tx, ctx, own.did)
        if (job === undefined) await forgetDid(tx, own.did, ctx.clock.now())
        await tx.audit({
          action: 'deleteDid',
          subject: own.did,
          before: { status: own.status },
          after: { status: job ? 'deleting' : 'deleted' },
        })
        return tx.answer(jobStarted(ctx, job ?? NO_JOB, { status: 'pending', deleted: true }))
      })
    },
  })

async function refuseConvener(reader: Reader, did: string): Promise<void> {
  if (await convenes(reader, did))
    throw new ApiError('conflict', 'The DID convenes a trust registry: delete that or hand it over first')
}

async function deactivate(tx: Tx, ctx: Context, text: string) {
  const did = parseDid(text)
  const id = did && didToHex(did)
  if (id === undefined) throw new TypeError(`not a ledger DID: ${text}`)
  const key = await actingKey(tx, text)
  const action = { kind: 'dispatch' as const, ...key, calls: [calls.did.deactivate({ did: id })] }
  const job = await startJob(tx, ctx, { kind: 'did.delete', subject: text, parts: [{ did: text, action }] })
  await openChange(tx, text, { jobId: job.id, status: 'deleting', now: ctx.clock.now() })
  return job
}
