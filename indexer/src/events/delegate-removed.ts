import { on } from '../handler'
import { delegationKey } from '../keys'
import { didText } from '../text'
import { delegateRemoved as removed } from '../types/trust-registry/events'

export const delegateRemoved = on(removed, (event, at) => {
  const { registryId } = event
  const issuer = didText(event.issuer)
  const delegate = didText(event.delegate)
  at.record({ trustRegistryId: registryId, subject: delegate, before: { issuer } })
  at.ledger.delegations.end(delegationKey(registryId, issuer, delegate), at.block)
})
