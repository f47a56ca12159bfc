import type { Capability } from '../capability.js'
import { sendAgain } from '../dids/send-again.js'
import { REGISTRY_EVENTS, registryJobEffects } from './registry.jobs.js'
import type { CheckIds } from './update-registry.js'

/** @param check what another capability knows of the ids of credentials */
export const revocationWith = (check: () => Promise<CheckIds>): Capability => ({
  name: 'revocation',
  operations: async () => (await import('./operations.js')).revocationWith(await check()),
  jobs: registryJobEffects,
  reruns: { 'status.revoke': sendAgain, 'status.unrevoke': sendAgain },
  events: REGISTRY_EVENTS,
})
