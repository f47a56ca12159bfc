import { on } from '../handler'
import { didText } from '../text'
import { transferProposed as proposed } from '../types/trust-registry/events'

export const transferProposed = on(proposed, (event, at) => {
  const pendingConvener = didText(event.new)
  const before = event.old === undefined ? null : { pendingConvener: didText(event.old) }
  at.record({ trustRegistryId: event.registryId, subject: pendingConvener, before, after: { pendingConvener } })
  at.ledger.trustRegistries.patch(event.registryId, at.block, { pendingConvener })
})
