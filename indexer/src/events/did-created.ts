import { on } from '../handler'
import { accountText, svcDid } from '../text'
import { created } from '../types/did/events'

/** The new DID is its own actor; its content follows in events of its own. */
export const didCreated = on(created, ({ did: id, submitter: account }, at) => {
  const did = svcDid(id)
  const submitter = accountText(account)
  at.begin({ actor: did, keyId: null, nonce: null, submitter, callHash: null })
  at.record({ subject: did })
  at.ledger.dids.set(did, at.block, { did, submitter })
})
