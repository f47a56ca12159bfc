import { on } from '../handler'
import { registryRemoved } from '../types/revocation/events'

/** A tombstone. Its bits stay as they were; readers ask the registry first, and fail closed. */
export const revocationRegistryRemoved = on(registryRemoved, ({ registryId }, at) => {
  at.record({ revocationRegistryId: registryId })
  at.ledger.revocationRegistries.end(registryId, at.block)
})
