import { on } from '../handler'
import { controllerKey } from '../keys'
import { didText, svcDid } from '../text'
import { controllerAdded } from '../types/did/events'

export const didControllerAdded = on(controllerAdded, (event, at) => {
  const did = svcDid(event.did)
  const controller = didText(event.controller)
  at.record({ subject: did, after: { controller } })
  at.ledger.controllers.set(controllerKey(did, controller), at.block, { did, controller })
})
