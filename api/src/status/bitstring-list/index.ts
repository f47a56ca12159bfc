import { asArray, textOf } from '../../formats/json.js'
import { BITSTRING_STATUS_LIST } from '../../formats/json-ld/contexts/known-contexts.js'
import { readListDocument } from '../status-list/list-document.js'
import type { ListEntry, ListForm, Statuses } from '../status-list/list-form.js'
import { listMethod } from '../status-list/list-method.js'
import { statusEntry } from '../status-list/status-entry.js'
import { statusFinding } from '../status-list/status-finding.js'
import { signBitstringCredential } from './bitstring-credential.js'
import { decodeBitstring, MIN_ENTRIES, statusIn } from './encoded-bitstring.js'
import { readBitstringEntry, statusMessages, TYPE } from './read-bitstring-entry.js'

/** Bitstring Status List, for credentials of data model 2.0. https://www.w3.org/TR/vc-bitstring-status-list/ */
const form: ListForm = {
  type: TYPE,
  path: '/bitstring',
  context: BITSTRING_STATUS_LIST,
  purposes: ['revocation', 'suspension', 'message'],
  reads: ({ type }) => type === TYPE,
  entry: (url, index, { purpose, messages }) => ({
    ...statusEntry(TYPE, url, index, purpose),
    ...(messages && { statusMessage: statusMessages(messages) }),
  }),
  readEntry: readBitstringEntry,
  addressesIn: ({ statusListCredential, id }) => [statusListCredential, id],
  mediaType: 'application/vc',
  sign: signBitstringCredential,
  accept: 'application/vc, application/json, application/ld+json',
  readList: (bytes, entry) =>
    readListDocument(
      {
        type: 'BitstringStatusListCredential',
        subjectType: 'BitstringStatusList',
        isFor: (listed, purpose) => asArray(listed).some((one) => one === purpose),
        unpack: ({ encodedList }) => statusesIn(textOf(encodedList), entry),
      },
      bytes,
      entry,
    ),
}

async function statusesIn(encoded: string | undefined, entry: ListEntry): Promise<Statuses | string> {
  const bits = await decodeBitstring(encoded ?? '')
  if (bits === undefined) return 'cannot be unpacked'
  const { size = 1, purpose = '' } = entry
  const length = Math.floor((bits.length * 8) / size)
  if (length < MIN_ENTRIES) return `has ${length} entries, and too few to hide one among: at least ${MIN_ENTRIES}`
  return {
    at: (index) => statusIn(bits, index, size),
    find: (status) => statusFinding(status, { ...entry, purpose }),
  }
}

export const bitstringList = listMethod(form)
