import { on } from '../handler'
import { didText } from '../text'
import { registryCreated } from '../types/revocation/events'

export const revocationRegistryCreated = on(registryCreated, (event, at) => {
  const { registryId, addOnly } = event
  const policy = event.policy.map(didText)
  const kind = event.kind.__kind
  const length = event.kind.__kind === 'StatusList' ? event.kind.length : null
  at.record({ revocationRegistryId: registryId, after: { kind, length, addOnly, policy } })
  const facts = { registryId, policy, creator: at.act.actor, addOnly, kind, length, version: 0 }
  at.ledger.revocationRegistries.set(registryId, at.block, facts)
})
