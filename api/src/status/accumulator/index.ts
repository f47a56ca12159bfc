import { revocationRegistryAt } from '../../ledger/read/status-list.js'
import { bookDrawn } from '../entries.store.js'
import type { StatusMethod } from '../status-method.js'
import { check } from './check.js'
import { accumulatorEntry, FIRST_VALUE, MOST_MEMBERS, readEntry } from './entry.js'
import { ACCUMULATOR, makeKey } from './keys.js'
import { update, witness } from './update.js'

/**
 * DockVBAccumulator2022: a value on the ledger of which each credential that is not revoked is a member. Its holder proves
 * that without telling which one it is. Every index is a member from the start, so that issuing writes nothing.
 */
export const accumulator: StatusMethod = {
  registryType: ACCUMULATOR,
  isDeprecated: false,
  ledgerKind: 'Accumulator',
  reads: ({ type }) => type === ACCUMULATOR,
  context: undefined,
  length: MOST_MEMBERS,
  purposes: ['revocation'],
  create: async (door, { id }) => ({ Accumulator: { publicKey: await makeKey(door, id), accumulated: FIRST_VALUE } }),
  allocate: bookDrawn,
  entry: async (_door, { id }, index) => accumulatorEntry(id, index),
  change: { by: 'updates', most: 1000, update },
  wrongIn(entry) {
    const read = readEntry(entry)
    if ('wrong' in read) return read.detail
    return read.index === undefined || read.index >= MOST_MEMBERS
      ? 'the status entry has no revocationId that the ledger can have'
      : undefined
  },
  placeOf(_config, entry) {
    const read = readEntry(entry)
    return 'wrong' in read || read.index === undefined ? undefined : { registryId: read.registryId, index: read.index }
  },
  claimedPlaces(_config, entry) {
    const read = readEntry(entry)
    return 'wrong' in read ? [] : [{ uri: String(entry.id), registryId: read.registryId }]
  },
  check,
  witness,
  async publicKey({ index }, entry, at) {
    const read = readEntry(entry)
    const state = 'wrong' in read ? undefined : await revocationRegistryAt(index, read.registryId, at)
    return state?.publicKey ?? undefined
  },
}
