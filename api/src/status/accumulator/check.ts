import { type Finding, failed } from '../../formats/check.js'
import type { JsonObject } from '../../formats/json.js'
import { removedAmong, wasValueSince } from '../../ledger/read/accumulators.js'
import { type RevocationRegistryState, revocationRegistryAt } from '../../ledger/read/status-list.js'
import { clear, missingRegistry } from '../registry-standing.js'
import type { Asked, CheckingDoor } from '../status-method.js'
import { type AccumulatorEntry, isIdentity, MOST_MEMBERS, readEntry } from './entry.js'

/**
 * Looks at an entry as of a point in time: whether its index is removed, or of what a holder derived, whether the value
 * that it proves to be a member of is that of the ledger.
 */
export async function check(door: CheckingDoor, entry: JsonObject, asked: Asked): Promise<Finding> {
  const read = readEntry(entry)
  if ('wrong' in read) return failed(read.wrong, read.detail)
  const { registryId } = read
  const { at } = asked
  const { block } = at
  const state = await revocationRegistryAt(door.index, registryId, at)
  if (state === undefined) return missingRegistry(door, registryId, at)
  if (state.isRemoved) return failed('registry_removed', 'its revocation registry was removed', { block })
  if (state.accumulated === null) return failed('malformed', 'its revocation registry is no accumulator', { block })
  if (isIdentity(state.accumulated))
    return failed('invalid_accumulator', 'everything is a member of the value of its registry', { block })
  const isMember = asked.isDerived && read.accumulated !== undefined ? hasValue : isNotRemoved
  const wrong = await isMember(door, { ...read, state }, asked)
  return wrong ?? clear({ registryId, ledger: 'svc' }, state, asked)
}

interface Known extends AccumulatorEntry {
  state: RevocationRegistryState
}

async function isNotRemoved(
  door: CheckingDoor,
  { registryId, index }: Known,
  { at }: Asked,
): Promise<Finding | undefined> {
  const { block } = at
  if (index === undefined) return failed('malformed', 'the status entry has no revocationId')
  if (index >= MOST_MEMBERS)
    return failed('index_out_of_range', 'its revocationId is none that the ledger can have', { block })
  const removed = await removedAmong(door.index, registryId, [index], at)
  return removed.has(index) ? failed('revoked', 'it is revoked', { block }) : undefined
}

/** The time of a proof is its holder's own word: only the value itself tells how old it is. */
async function hasValue(
  door: CheckingDoor,
  { registryId, accumulated = '0x', state }: Known,
  { at, maxAgeMs }: Asked,
): Promise<Finding | undefined> {
  if (accumulated === state.accumulated) return undefined
  const { block } = at
  if (Number.isFinite(maxAgeMs)) {
    const since = new Date(Math.max(0, at.instant.getTime() - maxAgeMs))
    if (await wasValueSince(door.index, { registryId, accumulated }, since, at)) return undefined
  }
  return failed('stale_status', 'it proves to be a member of a value that its registry does not have', { block })
}
