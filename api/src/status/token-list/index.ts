import { isObject, type JsonObject } from '../../formats/json.js'
import type { ListEntry, ListForm, WrongEntry } from '../status-list/list-form.js'
import { listMethod } from '../status-list/list-method.js'
import { readStatusListToken, signStatusListToken } from './status-list-token.js'

/** The most indexes that can be asked for: those of a list that may be unpacked, and more. */
const MOST_INDEX = 2 ** 32

/** Token Status List, for SD-JWT VC. https://datatracker.ietf.org/doc/draft-ietf-oauth-status-list/ */
const form: ListForm = {
  type: 'TokenStatusList',
  path: '/token',
  context: undefined,
  purposes: ['revocation', 'suspension'],
  reads: (entry) => 'status_list' in entry,
  entry: (uri, idx) => ({ status_list: { idx, uri } }),
  readEntry,
  addressesIn: ({ status_list }) => (isObject(status_list) ? [status_list.uri] : []),
  mediaType: 'application/statuslist+jwt',
  sign: signStatusListToken,
  accept: 'application/statuslist+jwt',
  readList: readStatusListToken,
}

/** A list may tell of suspensions and revocations alike: it has no purpose that an entry could name. */
function readEntry(entry: JsonObject): ListEntry | WrongEntry {
  const { status_list: list, ...others } = entry
  const { idx, uri } = isObject(list) ? list : {}
  const isIndex = typeof idx === 'number' && Number.isInteger(idx) && idx >= 0 && idx < MOST_INDEX
  if (typeof uri !== 'string' || !isIndex)
    return { wrong: 'malformed', detail: 'the status_list has no uri, or no idx that is a whole number from 0 on' }
  const [another] = Object.keys(others)
  if (another !== undefined)
    return { wrong: 'unavailable', detail: `a status of the kind ${another.slice(0, 64)} cannot be checked here` }
  return { id: undefined, list: uri, index: idx, purpose: undefined }
}

export const tokenList = listMethod(form)
