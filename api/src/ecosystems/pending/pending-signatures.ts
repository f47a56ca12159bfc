import { sql } from 'kysely'
import type { LedgerEffect } from '../../ledger/write/ledger-events.js'
import {
  changedAt,
  finalNow,
  giveUpUnsigned,
  matchDispatched,
  matchExpected,
  pendingIn,
  pendingOf,
  type WhichPending,
} from '../../ledger/write/pending-actions.js'
import { wakeWorker } from '../../ledger/write/wake.js'
import type { Tx } from '../../platform/database/database.js'
import type { Sweep } from '../../platform/process/sweep.js'

const DISPATCHED = 'Did.Dispatched'

/**
 * Ends the pending actions of a convener that signed elsewhere. A dispatch of exactly the requested calls is known by
 * DID and call hash. Other calls, or a bundle, with the same effect have another hash, and are known by the registry's
 * state on the ledger.
 */
export const matchSigned: LedgerEffect = {
  // Every change that can wait has at least one of these events.
  events: [
    DISPATCHED,
    'TrustRegistry.TrustRegistryInitialized',
    'TrustRegistry.TrustRegistryUpdated',
    'TrustRegistry.SchemasMetadataSet',
    'TrustRegistry.IssuerSuspended',
    'TrustRegistry.IssuerUnsuspended',
    'TrustRegistry.VerifierSuspended',
    'TrustRegistry.VerifierUnsuspended',
    'TrustRegistry.DelegateAdded',
    'TrustRegistry.DelegateRemoved',
    'TrustRegistry.TrustRegistryRemoved',
  ],
  async apply(tx, events) {
    const dispatching = events.flatMap(({ name, actor }) => (name === DISPATCHED ? actor : []))
    const changed = events.flatMap(({ trust_registry_id: id, block }) => (id === null ? [] : [{ id, block }]))
    // Every block has dispatches; in most of them none concerns a registry.
    wakeFor(tx, [
      dispatching.length > 0 ? await matchDispatched(tx, pendingOf(dispatching)) : 0n,
      changed.length > 0 ? await matchExpected(tx, pendingIn(changed.map(({ id }) => id)), changedAt(changed)) : 0n,
    ])
  },
}

/**
 * Checks actions that were just asked for, whose block the follower may have told before they were stored, and those
 * that end now: an action fails as not signed when the ledger does not have it, as far as the index knows the ledger.
 */
export const sweepPendingSignatures: Sweep = async ({ db, clock, index }) => {
  // The index is read first: later effects on it are not given up.
  const { lagMs } = await index.head()
  const now = clock.now()
  const which: WhichPending = sql`(a.expires <= ${now} or a.created > now() - interval '2 minutes')`
  await db.transaction('system', async (tx) => {
    wakeFor(tx, [await matchDispatched(tx, which), await matchExpected(tx, which, finalNow)])
    await giveUpUnsigned(tx, new Date(now.getTime() - lagMs))
  })
}

function wakeFor(tx: Tx, matched: readonly bigint[]): void {
  if (matched.some((count) => count > 0n)) tx.afterCommit(wakeWorker)
}
