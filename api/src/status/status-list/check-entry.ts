import { type Finding, failed, unavailable } from '../../formats/check.js'
import { type Json, type JsonObject, textOf } from '../../formats/json.js'
import { statusAt } from '../../ledger/read/status-list.js'
import { termsOf } from '../list-terms.js'
import { clear, missingRegistry } from '../registry-standing.js'
import type { Asked, CheckingDoor } from '../status-method.js'
import { checkForeignStatus } from './foreign-list.js'
import type { ListEntry, ListForm } from './list-form.js'
import { type LedgerList, placeOfList } from './status-entry.js'
import { statusFinding } from './status-finding.js'

/** Looks up the bit that an entry names: on the ledger, or in a list that stands elsewhere. */
export async function checkListEntry(
  form: ListForm,
  door: CheckingDoor,
  entry: JsonObject,
  asked: Asked,
): Promise<Finding> {
  const read = form.readEntry(entry)
  if ('wrong' in read) return failed(read.wrong, read.detail)
  const { id, list, index } = read
  const place = placeOfList(door.config, list)
  if (!isIdOf(door, id, { place, index }))
    return failed('malformed', 'the id of the status entry names another list or index')
  if (place === 'elsewhere') return checkForeignStatus(form, door, read, asked)
  if (place === 'nothing') return unavailable(`${list.slice(0, 200)} is no status list of this service`)
  if (place.path !== form.path)
    return unavailable(`${list.slice(0, 200)} is a status list of another type than the status entry`)
  return bitCheck(door, place, read, asked)
}

interface Found {
  place: ReturnType<typeof placeOfList>
  index: number
}

/** Tells whether a list of ours or an index in the id of an entry is the one that the entry is looked up at. */
function isIdOf({ config }: CheckingDoor, id: Json | undefined, { place, index }: Found): boolean {
  if (id === undefined) return true
  const text = textOf(id)
  if (text === undefined) return false
  const [address = '', fragment = ''] = text.split('#')
  const named = placeOfList(config, address)
  if (typeof named === 'object' && (typeof place !== 'object' || named.registryId !== place.registryId)) return false
  return !/^\d+$/.test(fragment) || fragment === String(index)
}

async function bitCheck(door: CheckingDoor, list: LedgerList, entry: ListEntry, asked: Asked): Promise<Finding> {
  const { at } = asked
  const { index, size = 1 } = entry
  const { block } = at
  const { registryId } = list
  const status = await statusAt(door.index, registryId, index, at)
  if (status === undefined) return missingRegistry(door, registryId, at)
  if (status.removed) return failed('registry_removed', 'its revocation registry was removed', { block })
  if (index >= (status.length ?? 0))
    return failed('index_out_of_range', 'its index lies outside the status list', { block })
  const { purpose } = await termsOf(door.db, registryId)
  if (list.ledger === undefined && entry.purpose !== undefined && entry.purpose !== purpose)
    return unavailable(`the status list of the entry is for the purpose ${purpose}`)
  if (size !== 1) return unavailable('the status list of the entry has one bit for each status')
  const found = statusFinding(Number(status.isSet), { ...entry, purpose: entry.purpose ?? purpose })
  if (found.passed === false) return { ...found, block }
  const standing = clear(list, status, asked)
  return standing.passed ? { ...found, ...standing } : standing
}
