import { on } from '../handler'
import { trustRegistryRemoved as removed } from '../types/trust-registry/events'

/** A tombstone: it has no schemas left, and its id never comes back. */
export const trustRegistryRemoved = on(removed, ({ registryId }, at) => {
  at.record({ trustRegistryId: registryId })
  at.ledger.trustRegistries.end(registryId, at.block)
})
