import { on } from '../handler'
import { didKeyKey } from '../keys'
import { svcDid } from '../text'
import { keyRevoked } from '../types/did/events'

/** In use or retired before: what it signed is trusted at no time, so the reason changes on the newest row. */
export const didKeyRevoked = on(keyRevoked, (event, at) => {
  const did = svcDid(event.did)
  const key = didKeyKey(did, event.keyId)
  at.record({ subject: did, before: { keyId: event.keyId } })
  at.ledger.keys.amend(key, { endReason: 'revoked' })
  at.ledger.keys.end(key, at.block)
})
