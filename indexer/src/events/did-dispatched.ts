import { on } from '../handler'
import { accountText, didText } from '../text'
import { dispatched } from '../types/did/events'

export const didDispatched = on(dispatched, (event, at) => {
  const did = didText(event.did)
  const { keyId, nonce, callHash } = event
  at.begin({ actor: did, keyId, nonce, submitter: accountText(event.submitter), callHash })
  at.record({ subject: did })
  at.ledger.nonces.set(did, nonce)
})
