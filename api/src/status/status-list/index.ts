import { textOf } from '../../formats/json.js'
import { STATUS_LIST_2021 } from '../../formats/json-ld/contexts/known-contexts.js'
import { bitAt, decodeStatusList } from './encoded-list.js'
import { readListDocument } from './list-document.js'
import type { ListForm } from './list-form.js'
import { listMethod } from './list-method.js'
import { readEntry } from './read-entry.js'
import { statusEntry } from './status-entry.js'
import { statusFinding } from './status-finding.js'
import { signStatusListCredential } from './status-list-credential.js'

const TYPE = 'StatusList2021Entry'

/** https://www.w3.org/community/reports/credentials/CG-FINAL-vc-status-list-2021-20230102/ */
const form: ListForm = {
  type: TYPE,
  path: '',
  context: STATUS_LIST_2021,
  purposes: ['revocation', 'suspension'],
  reads: ({ type }) => type === TYPE,
  entry: (url, index, { purpose }) => statusEntry(TYPE, url, index, purpose),
  readEntry,
  addressesIn: ({ statusListCredential, id }) => [statusListCredential, id],
  mediaType: 'application/json; charset=utf-8',
  sign: signStatusListCredential,
  accept: 'application/json, application/ld+json',
  readList: (bytes, entry) =>
    readListDocument(
      {
        type: 'StatusList2021Credential',
        subjectType: 'StatusList2021',
        isFor: (listed, purpose) => listed === purpose,
        async unpack({ encodedList, statusPurpose }) {
          const bits = await decodeStatusList(textOf(encodedList) ?? '')
          if (bits === undefined) return 'cannot be unpacked'
          return {
            at: (index) => toStatus(bitAt(bits, index)),
            find: (status) => statusFinding(status, { purpose: textOf(statusPurpose) ?? '' }),
          }
        },
      },
      bytes,
      entry,
    ),
}

const toStatus = (bit: boolean | undefined): number | undefined => (bit === undefined ? undefined : Number(bit))

export const statusList = listMethod(form)
