import { on } from '../handler'
import { schemaKey } from '../keys'
import { schemaRemoved as removed } from '../types/trust-registry/events'

/** Participants that were listed for it leave in events of their own. */
export const schemaRemoved = on(removed, ({ registryId, schemaId }, at) => {
  at.record({ trustRegistryId: registryId, schemaId })
  at.ledger.schemas.end(schemaKey(registryId, schemaId), at.block)
})
