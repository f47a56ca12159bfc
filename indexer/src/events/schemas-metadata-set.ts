import { on } from '../handler'
import { schemasMetadataSet as metadataSet } from '../types/trust-registry/events'

export const schemasMetadataSet = on(metadataSet, ({ registryId, version }, at) => {
  at.record({ trustRegistryId: registryId, after: { version } })
  at.ledger.trustRegistries.patch(registryId, at.block, { version })
})
