import { on } from '../handler'
import { didKeyKey } from '../keys'
import { svcDid } from '../text'
import { keyAdded } from '../types/did/events'

export const didKeyAdded = on(keyAdded, (event, at) => {
  const did = svcDid(event.did)
  const { keyId, relationships } = event
  const key = { keyId, kind: event.key.__kind, publicKey: event.key.value, relationships }
  at.record({ subject: did, after: key })
  at.ledger.keys.set(didKeyKey(did, keyId), at.block, { did, ...key, endReason: null, revokedBlock: null })
})
