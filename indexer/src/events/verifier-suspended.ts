import { on } from '../handler'
import { standingKey } from '../keys'
import { didText } from '../text'
import { verifierSuspended as suspended } from '../types/trust-registry/events'

export const verifierSuspended = on(suspended, (event, at) => {
  const { registryId } = event
  const did = didText(event.verifier)
  at.record({ trustRegistryId: registryId, subject: did, before: { suspended: false }, after: { suspended: true } })
  at.ledger.suspensions.set(standingKey(registryId, did), at.block, { registryId, did })
})
