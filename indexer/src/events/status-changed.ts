import { on } from '../handler'
import { statusBitKey } from '../keys'
import { statusChanged as changed } from '../types/revocation/events'

export const statusChanged = on(changed, (event, at) => {
  const { registryId, revoked, unrevoked, version } = event
  at.record({ revocationRegistryId: registryId, after: { revoked, unrevoked, version } })
  for (const index of revoked)
    at.ledger.statusBits.set(statusBitKey(registryId, index), at.block, { registryId, index })
  for (const index of unrevoked) at.ledger.statusBits.end(statusBitKey(registryId, index), at.block)
  at.ledger.revocationRegistries.patch(registryId, at.block, { version })
})
