import { on } from '../handler'
import { didText, utf8 } from '../text'
import { trustRegistryInitialized as initialized } from '../types/trust-registry/events'

export const trustRegistryInitialized = on(initialized, (event, at) => {
  const { registryId } = event
  const facts = { convener: didText(event.convener), name: utf8(event.name), govFramework: utf8(event.govFramework) }
  at.record({ trustRegistryId: registryId, subject: facts.convener, after: facts })
  at.ledger.trustRegistries.set(registryId, at.block, { registryId, ...facts, pendingConvener: null, version: 0 })
})
