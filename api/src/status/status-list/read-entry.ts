import { type JsonObject, quoted } from '../../formats/json.js'
import { parseStatusIndex } from './encoded-list.js'
import type { ListEntry, WrongEntry } from './list-form.js'

const PURPOSES: readonly string[] = ['revocation', 'suspension']

/** Returns the place in a list that an entry names, or why this service cannot check it. */
export function readEntry(entry: JsonObject): ListEntry | WrongEntry {
  const { statusListCredential: list, statusListIndex, statusPurpose } = entry
  const purpose = PURPOSES.find((one) => one === statusPurpose)
  const index = parseStatusIndex(statusListIndex)
  if (typeof list !== 'string' || index === undefined)
    return { wrong: 'malformed', detail: 'the status entry has no statusListCredential or no valid statusListIndex' }
  return purpose === undefined
    ? { wrong: 'unavailable', detail: `a status of purpose ${quoted(statusPurpose)} cannot be checked here` }
    : { id: entry.id, list, index, purpose }
}
