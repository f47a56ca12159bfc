import { on } from '../handler'
import { didKeyKey } from '../keys'
import { svcDid } from '../text'
import { keyRevoked } from '../types/did/events'

/**
 * The key may have been in use or retired: its signatures are trusted at no time, so the reason changes on its newest
 * row. What its state was before is told by the block.
 */
export const didKeyRevoked = on(keyRevoked, (event, at) => {
  const did = svcDid(event.did)
  const key = didKeyKey(did, event.keyId)
  at.record({ subject: did, before: { keyId: event.keyId } })
  at.ledger.keys.amend(key, { endReason: 'revoked', revokedBlock: at.block })
  at.ledger.keys.end(key, at.block)
})
