import { type Json, type JsonObject, quoted } from '../../formats/json.js'
import { parseStatusIndex } from './encoded-list.js'

const PURPOSES: ReadonlySet<Json | undefined> = new Set(['revocation', 'suspension'])

/** The place of a credential's status. */
export interface ListEntry {
  /** The entry's own id. */
  id: Json | undefined
  /** The URL or the ledger's name of a status list. */
  list: string
  index: number
  purpose: Json | undefined
}

export interface WrongEntry {
  /** `unavailable`: it may be good, and cannot be checked here. */
  wrong: 'malformed' | 'unavailable'
  detail: string
}

/** Returns the place in a list that an entry names, or why this service cannot check it. */
export function readEntry(entry: JsonObject): ListEntry | WrongEntry {
  const { statusListCredential: list, statusListIndex, statusPurpose: purpose } = entry
  const index = parseStatusIndex(statusListIndex)
  if (typeof list !== 'string' || index === undefined)
    return { wrong: 'malformed', detail: 'the status entry has no statusListCredential or no valid statusListIndex' }
  return PURPOSES.has(purpose)
    ? { id: entry.id, list, index, purpose }
    : { wrong: 'unavailable', detail: `a status of purpose ${quoted(purpose)} cannot be checked here` }
}
