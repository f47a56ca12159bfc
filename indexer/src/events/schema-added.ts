import { on } from '../handler'
import { schemaKey } from '../keys'
import { schemaAdded as added } from '../types/trust-registry/events'

export const schemaAdded = on(added, ({ registryId, schemaId }, at) => {
  at.record({ trustRegistryId: registryId, schemaId })
  at.ledger.schemas.set(schemaKey(registryId, schemaId), at.block, { registryId, schemaId, isPublic: false })
})
