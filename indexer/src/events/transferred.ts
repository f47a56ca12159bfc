import { on } from '../handler'
import { didText } from '../text'
import { transferred as done } from '../types/trust-registry/events'

export const transferred = on(done, (event, at) => {
  const convener = didText(event.new)
  const before = { convener: didText(event.old) }
  at.record({ trustRegistryId: event.registryId, subject: convener, before, after: { convener } })
  at.ledger.trustRegistries.patch(event.registryId, at.block, { convener, pendingConvener: null })
})
