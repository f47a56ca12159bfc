import { on } from '../handler'
import { delegationKey } from '../keys'
import { didOrder, didText } from '../text'
import { delegateAdded as added } from '../types/trust-registry/events'

export const delegateAdded = on(added, (event, at) => {
  const { registryId } = event
  const issuer = didText(event.issuer)
  const delegate = didText(event.delegate)
  at.record({ trustRegistryId: registryId, subject: delegate, after: { issuer } })
  const facts = { registryId, issuer, issuerOrder: didOrder(event.issuer), delegate }
  at.ledger.delegations.set(delegationKey(registryId, issuer, delegate), at.block, facts)
})
