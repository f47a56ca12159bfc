import { on } from '../handler'
import { placeKey } from '../keys'
import { didText } from '../text'
import { verifierChanged as changed } from '../types/trust-registry/events'

export const verifierChanged = on(changed, (event, at) => {
  const { registryId, schemaId } = event
  const did = didText(event.verifier)
  const facts = { before: { listed: event.old }, after: { listed: event.new } }
  at.record({ trustRegistryId: registryId, schemaId, subject: did, ...facts })
  const key = placeKey(registryId, schemaId, did)
  if (event.new) at.ledger.verifiers.set(key, at.block, { registryId, schemaId, did })
  else at.ledger.verifiers.end(key, at.block)
})
