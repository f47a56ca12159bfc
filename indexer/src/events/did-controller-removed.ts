import { on } from '../handler'
import { controllerKey } from '../keys'
import { didText, svcDid } from '../text'
import { controllerRemoved } from '../types/did/events'

export const didControllerRemoved = on(controllerRemoved, (event, at) => {
  const did = svcDid(event.did)
  const controller = didText(event.controller)
  at.record({ subject: did, before: { controller } })
  at.ledger.controllers.end(controllerKey(did, controller), at.block)
})
