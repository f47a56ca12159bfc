import { on } from '../handler'
import { schemaKey } from '../keys'
import { schemaPublicSet as publicSet } from '../types/trust-registry/events'

export const schemaPublicSet = on(publicSet, ({ registryId, schemaId, public: isPublic }, at) => {
  at.record({ trustRegistryId: registryId, schemaId, before: { public: !isPublic }, after: { public: isPublic } })
  at.ledger.schemas.patch(schemaKey(registryId, schemaId), at.block, { isPublic })
})
