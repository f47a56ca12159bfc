import { STATUS_LIST_2021 } from '../../formats/json-ld/contexts/known-contexts.js'
import { isStatusList } from '../../ledger/read/status-list.js'
import { bitCalls } from '../bit-calls.js'
import { bookDrawn } from '../entries.store.js'
import type { StatusMethod } from '../status-method.js'
import { checkListEntry } from './check-entry.js'
import { claimedPlaces } from './claimed-places.js'
import { readEntry } from './read-entry.js'
import { LIST_LENGTH, placeOfList, statusEntry } from './status-entry.js'
import { statusListCredential } from './status-list-credential.js'

/**
 * StatusList2021: a bit for each credential, on the ledger and in a signed list.
 * https://www.w3.org/community/reports/credentials/CG-FINAL-vc-status-list-2021-20230102/
 */
export const statusList: StatusMethod = {
  registryType: 'StatusList2021Entry',
  isDeprecated: false,
  ledgerKind: 'StatusList',
  reads: ({ type }) => type === 'StatusList2021Entry',
  context: STATUS_LIST_2021,
  length: LIST_LENGTH,
  create: async (_door, { length }) => ({ StatusList: { length } }),
  allocate: bookDrawn,
  entry: async ({ config }, { id }, index) => statusEntry(config.apiUrl, id, index),
  change: { by: 'calls', callsFor: bitCalls },
  wrongIn(entry) {
    const read = readEntry(entry)
    return 'wrong' in read ? read.detail : undefined
  },
  placeOf(config, entry) {
    const read = readEntry(entry)
    if ('wrong' in read) return undefined
    const list = placeOfList(config, read.list)
    return typeof list === 'object' ? { registryId: list.registryId, index: read.index } : undefined
  },
  claimedPlaces,
  check: checkListEntry,
  async publish(door, registry, at) {
    const list = isStatusList(registry) ? await statusListCredential(door, registry, at) : undefined
    return list && { ...list, mediaType: 'application/json; charset=utf-8' }
  },
}
