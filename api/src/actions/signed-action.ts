import type { Did } from '@accredit/chain'
import { proveControl } from '../dids/wallet/did-proof.store.js'
import { pendingActions, tryActions } from '../ledger/write/dry-run.js'
import { pendingIds } from '../ledger/write/pending-ids.js'
import type { LedgerAction, SignerAction } from '../ledger/write/signer-door.js'
import { startJob } from '../ledger/write/start-job.js'
import { jobStarted } from '../ledger/write/wait-for-job.js'
import { invalid } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { attemptsOfEach } from '../platform/security/attempts.js'
import { ACTION_JOB } from './action-job.js'
import { type ActionsBody, readWish, withVersions } from './ledger-call.js'
import { ledgerRefusal } from './ledger-refusal.js'
import { acceptGuarded } from './own-did-guard.js'
import {
  broughtBefore,
  lockPrepared,
  markBrought,
  type PreparedAction,
  waitingForSignature,
} from './prepared-action.store.js'
import { refuseOtherNonce } from './refuse-other-nonce.js'

interface Signature {
  did: Did
  keyId: number
  /** 0x and 128 hexadecimal digits, lower case. */
  signature: string
}

/**
 * Submits what the owner of a key signed. The signature is verified first: a place in a DID's sequence, which anyone
 * may ask for, costs a good one. The same signature again gives the same job.
 */
export async function bringSigned(ctx: Context, body: ActionsBody, { did, keyId, signature }: Signature) {
  const wish = await readWish(ctx, body)
  const signed = { did, keyId, callHash: wish.callHash }
  const { brought, waiting, before } = await ctx.db.read(ctx.scope, async (reader) => ({
    brought: await broughtBefore(reader, signed, signature),
    waiting: await waitingForSignature(reader, signed),
    before: await pendingActions(reader, did),
  }))
  // The signature is for the versions of that time, whatever became of the registries since.
  const dispatchOf = ({ versions }: PreparedAction) => withVersions(body, wish, versions ?? [])
  const dataOf = (prepared: PreparedAction) => ({ did, action: wish.name, ...dispatchOf(prepared).filledIn })
  if (brought?.jobId) return jobStarted(ctx, { id: brought.jobId }, dataOf(brought))
  const [newest] = waiting
  if (newest === undefined)
    throw invalid('Nothing waits for this signature: ask POST /ledger/actions/prepare what to sign for this action')
  if (!waiting.some(({ nonce }) => nonce === (wish.nonce ?? nonce))) refuseOtherNonce(wish.nonce, newest.nonce)
  const actionOf = (prepared: PreparedAction) => {
    const { nonce, validUntil } = prepared
    const { encoded: calls } = dispatchOf(prepared)
    return { kind: 'authorised' as const, did, keyId, nonce, validUntil, signature, calls }
  }
  const chosen = await firstGood(
    ctx,
    waiting.filter(({ nonce }) => nonce === (wish.nonce ?? nonce)),
    actionOf,
    before,
  )
  const data = dataOf(chosen)
  const answers = await ctx.db.read('system', (reader) => pendingIds(reader, did, dispatchOf(chosen).encoded))
  return ctx.db.transaction(ctx.scope, async (tx) => {
    const jobId = await lockPrepared(tx, chosen.id)
    if (jobId !== null) return tx.answer(jobStarted(ctx, { id: jobId }, data))
    const kept = await acceptGuarded(tx, did, dispatchOf(chosen).calls)
    const parts = [{ did, action: actionOf(chosen), answers }]
    const job = await startJob(tx, ctx, { kind: ACTION_JOB, subject: did, data: kept, parts })
    await markBrought(tx, chosen.id, signature, job.id)
    await proveControl(tx, { did, team_id: ctx.team, key_id: keyId, proved: ctx.clock.now() })
    await tx.audit({ action: 'actOnLedger', subject: did, after: { call: wish.name, keyId } })
    return tx.answer(jobStarted(ctx, job, data))
  })
}

/** Several actions are tried for one signature, and a refused one leaves nothing that would count it. */
const signaturesOf = attemptsOfEach()

/**
 * Returns the newest of the actions that the signature is for. Throws 429 once a team has as many refusals in a minute
 * as it may prepare actions.
 */
async function firstGood(
  ctx: Context,
  waiting: PreparedAction[],
  actionOf: (prepared: PreparedAction) => LedgerAction,
  before: SignerAction[],
): Promise<PreparedAction> {
  const caller = String(ctx.team)
  const most = ctx.config.preparedActions.perMinute
  signaturesOf(ctx).begin(caller, ctx.clock.now(), { most, what: 'refused signatures' })
  const outcomes = await tryActions(ctx, waiting.map(actionOf), before)
  const good = waiting.find((_, index) => 'changes' in (outcomes[index] ?? {}))
  if (good !== undefined) {
    signaturesOf(ctx).succeeded(caller)
    return good
  }
  const [first] = outcomes
  if (first === undefined || 'changes' in first) throw new Error('the signer left out an outcome')
  throw ledgerRefusal(first.error)
}
