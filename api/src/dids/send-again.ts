import type { Rerun } from '../capability.js'

/** Sends the refused actions of a job again, by the keys that their DIDs have now. Loaded at its first use: the worker never does it. */
export const sendAgain: Rerun = async (tx, _ctx, job) => {
  const [{ resendRefused }, { actingKeyHere }] = await Promise.all([
    import('../ledger/write/resend-refused.js'),
    import('./did.store.js'),
  ])
  return resendRefused(tx, job, actingKeyHere)
}
