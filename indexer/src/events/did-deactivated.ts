import { on } from '../handler'
import { svcDid } from '../text'
import { deactivated } from '../types/did/events'

/** Keys, controllers, services and the nonce go with the DID, without events of their own. */
export const didDeactivated = on(deactivated, (event, at) => {
  const did = svcDid(event.did)
  at.record({ subject: did })
  at.ledger.dids.end(did, at.block)
  at.ledger.keys.endDid(did, at.block, { endReason: 'deactivated' })
  at.ledger.controllers.endDid(did, at.block)
  at.ledger.services.endDid(did, at.block)
  at.ledger.nonces.set(did, undefined)
})
