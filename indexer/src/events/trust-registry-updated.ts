import { on } from '../handler'
import { utf8 } from '../text'
import { trustRegistryUpdated as updated } from '../types/trust-registry/events'

export const trustRegistryUpdated = on(updated, (event, at) => {
  const before = { name: utf8(event.oldName), govFramework: utf8(event.oldGovFramework) }
  const after = { name: utf8(event.newName), govFramework: utf8(event.newGovFramework) }
  at.record({ trustRegistryId: event.registryId, before, after })
  at.ledger.trustRegistries.patch(event.registryId, at.block, after)
})
