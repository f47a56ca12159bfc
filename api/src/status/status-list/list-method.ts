import { textOf } from '../../formats/json.js'
import { isStatusList } from '../../ledger/read/status-list.js'
import { bitCalls } from '../bit-calls.js'
import { bookDrawn } from '../entries.store.js'
import type { ClaimedPlace, StatusMethod } from '../status-method.js'
import { checkListEntry } from './check-entry.js'
import type { ListForm } from './list-form.js'
import { publishedList } from './published-list.js'
import { isOtherLedger, LIST_LENGTH, placeOfList, statusListUrl } from './status-entry.js'

/** Returns the method of revocation whose entries and lists have a form: a bit for each credential, on the ledger. */
export const listMethod = (form: ListForm): StatusMethod => ({
  registryType: form.type,
  isDeprecated: false,
  ledgerKind: 'StatusList',
  reads: form.reads,
  context: form.context,
  length: LIST_LENGTH,
  purposes: form.purposes,
  create: async (_door, { length }) => ({ StatusList: { length } }),
  allocate: bookDrawn,
  entry: async ({ config }, { id, ...terms }, index) =>
    form.entry(statusListUrl(config.apiUrl, id, form.path), index, terms),
  change: { by: 'calls', callsFor: bitCalls },
  wrongIn(entry) {
    const read = form.readEntry(entry)
    return 'wrong' in read ? read.detail : undefined
  },
  placeOf(config, entry) {
    const read = form.readEntry(entry)
    if ('wrong' in read) return undefined
    const list = placeOfList(config, read.list)
    return typeof list === 'object' ? { registryId: list.registryId, index: read.index } : undefined
  },
  claimedPlaces: (config, entry) =>
    form
      .addressesIn(entry)
      .flatMap((member) => textOf(member) ?? [])
      .flatMap((uri): ClaimedPlace[] => {
        const place = placeOfList(config, uri)
        if (place === 'elsewhere') return []
        if (place === 'nothing') return [{ uri, registryId: undefined }]
        return isOtherLedger(place) ? [] : [{ uri, registryId: place.registryId }]
      }),
  check: (door, entry, asked) => checkListEntry(form, door, entry, asked),
  async publish(door, registry, at) {
    const list = isStatusList(registry) ? await publishedList(form, door, registry, at) : undefined
    return list && { ...list, mediaType: form.mediaType }
  },
})
