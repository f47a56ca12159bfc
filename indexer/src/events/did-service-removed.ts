import { on } from '../handler'
import { serviceKey } from '../keys'
import { serviceOf, svcDid, utf8 } from '../text'
import { serviceRemoved } from '../types/did/events'

export const didServiceRemoved = on(serviceRemoved, (event, at) => {
  const did = svcDid(event.did)
  at.record({ subject: did, before: { id: utf8(event.id), ...serviceOf(event.old) } })
  at.ledger.services.end(serviceKey(did, event.id), at.block)
})
