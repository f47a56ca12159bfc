import { on } from '../handler'
import { didKeyKey } from '../keys'
import { svcDid } from '../text'
import { keyRetired } from '../types/did/events'

export const didKeyRetired = on(keyRetired, (event, at) => {
  const did = svcDid(event.did)
  at.record({ subject: did, before: { keyId: event.keyId } })
  at.ledger.keys.end(didKeyKey(did, event.keyId), at.block, { endReason: 'retired' })
})
