import { on } from '../handler'
import { didText } from '../text'
import { registryCreated } from '../types/revocation/events'
import type { Kind } from '../types/v1'

function kindOf(kind: Kind) {
  if (kind.__kind === 'StatusList')
    return { kind: kind.__kind, length: kind.length, publicKey: null, accumulated: null }
  return { kind: kind.__kind, length: null, publicKey: kind.publicKey, accumulated: kind.accumulated }
}

export const revocationRegistryCreated = on(registryCreated, (event, at) => {
  const { registryId, addOnly } = event
  const policy = event.policy.map(didText)
  const kind = kindOf(event.kind)
  at.record({ revocationRegistryId: registryId, after: { ...kind, addOnly, policy } })
  const facts = { registryId, policy, creator: at.origin.actor, addOnly, ...kind, version: 0 }
  at.ledger.revocationRegistries.set(registryId, at.block, facts)
})
