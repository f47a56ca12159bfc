import type { Capability, Rerun } from '../capability.js'
import { actingKeyHere } from '../dids/did.store.js'
import { resendRefused } from '../ledger/write/resend-refused.js'
import { REGISTRY_EVENTS, registryJobEffects } from './registry.jobs.js'
import type { CheckIds } from './update-registry.js'

/** @param check what another capability knows of the ids of credentials */
export const revocationWith = (check: () => Promise<CheckIds>): Capability => ({
  name: 'revocation',
  operations: async () => (await import('./operations.js')).revocationWith(await check()),
  jobs: registryJobEffects,
  reruns: Object.fromEntries(
    ['status.revoke', 'status.unrevoke'].map((kind): [string, Rerun] => [
      kind,
      (tx, _ctx, job) => resendRefused(tx, job, actingKeyHere),
    ]),
  ),
  events: REGISTRY_EVENTS,
})
