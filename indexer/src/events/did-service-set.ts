import { on } from '../handler'
import { serviceKey } from '../keys'
import { type ChainService, serviceOf, svcDid, utf8 } from '../text'
import { serviceSet } from '../types/did/events'

export const didServiceSet = on(serviceSet, (event, at) => {
  const did = svcDid(event.did)
  const id = utf8(event.id)
  const told = (service: ChainService) => ({ id, ...serviceOf(service) })
  at.record({ subject: did, before: event.old === undefined ? null : told(event.old), after: told(event.new) })
  at.ledger.services.set(serviceKey(did, event.id), at.block, { did, serviceId: id, ...serviceOf(event.new) })
})
