import { on } from '../handler'
import { standingKey } from '../keys'
import { didText } from '../text'
import { verifierUnsuspended as unsuspended } from '../types/trust-registry/events'

export const verifierUnsuspended = on(unsuspended, (event, at) => {
  const { registryId } = event
  const did = didText(event.verifier)
  at.record({ trustRegistryId: registryId, subject: did, before: { suspended: true }, after: { suspended: false } })
  at.ledger.suspensions.end(standingKey(registryId, did), at.block)
})
