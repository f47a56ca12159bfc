import { on } from '../handler'
import { statusBitKey } from '../keys'
import { AccumulatorUpdate } from '../model'
import { accumulatorUpdated as updated } from '../types/revocation/events'

/** Holders update their witnesses from this event's content; members that leave are revoked like any other. */
export const accumulatorUpdated = on(updated, (event, at) => {
  const { registryId, additions, removals, version, witnessUpdateInfo, newAccumulated: accumulated } = event
  const update = { accumulated, additions, removals, witnessUpdateInfo, version }
  at.record({ revocationRegistryId: registryId, before: { accumulated: event.oldAccumulated }, after: update })
  for (const index of removals)
    at.ledger.statusBits.set(statusBitKey(registryId, index), at.block, { registryId, index })
  for (const index of additions) at.ledger.statusBits.endIfOpen(statusBitKey(registryId, index), at.block)
  at.ledger.revocationRegistries.patch(registryId, at.block, { accumulated, version })
  const id = `${registryId}/${version}`
  at.ledger.accumulatorUpdates.push(new AccumulatorUpdate({ id, registryId, block: at.block, ...update }))
})
