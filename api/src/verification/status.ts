import { type Did, didKeyOf, parseDid } from '@accredit/chain'
import { asArray, idOf, type Json, type JsonObject, textOf } from '../formats/json.js'
import { type LegacyRegistry, readStatus, type StatusPlace } from '../formats/json-ld/canonical/credential-form.js'
import type { At } from '../ledger/read/at.js'
import { controllersAt } from '../ledger/read/did-state.js'
import { setBitsAt } from '../ledger/read/set-bits.js'
import { type RevocationRegistryState, revocationRegistryAt, statusAt } from '../ledger/read/status-list.js'
import type { Environment } from '../platform/http/context.js'
import { findEntries, findRegistry } from '../revocation/registry.store.js'
import { revocationIdOf } from '../revocation/revocation-id.js'
import { type LedgerList, placeOfList } from '../revocation/status-entry.js'
import { type Finding, failed, NOT_APPLICABLE, passed, pending, unavailable } from './check.js'
import { foreignBitCheck } from './foreign-list.js'
import type { ProofDoor } from './proof-checks.js'

type Door = Pick<Environment, 'index' | 'db' | 'config' | 'clock' | 'guardedFetch'> & ProofDoor

const MAX_ENTRIES = 4

export interface StatusQuestion {
  /** A status that was had from its keeper longer ago is none; undefined: as long ago as we ourselves allow. */
  maxStatusAgeSeconds: number | undefined
}

/** One credential whose status is asked for. */
interface Asked {
  id: Json | undefined
  issuer: Did | undefined
  /** Whose lists count: the issuer's, and those of the controllers of its DID. */
  keepers: ReadonlySet<string>
  at: At
  maxAgeMs: number
}

/** Whether a credential is revoked or suspended. Its status entries must all be known and clear; what is not known fails. */
export async function statusCheck(
  door: Door,
  document: JsonObject,
  question: StatusQuestion,
  at: At,
): Promise<Finding> {
  const entries = asArray(document.credentialStatus ?? undefined)
  if (entries.length === 0) return NOT_APPLICABLE
  if (entries.length > MAX_ENTRIES) return failed('malformed', `it has more than ${MAX_ENTRIES} status entries`)
  const asked = await askedOf(door, document, question, at)
  for (const entry of entries) {
    const finding = await entryCheck(door, entry, asked)
    if (finding.passed !== true) return finding
  }
  return passed({ block: at.block })
}

async function askedOf({ index }: Door, document: JsonObject, question: StatusQuestion, at: At): Promise<Asked> {
  const text = idOf(document.issuer) ?? ''
  const issuer = parseDid(text)
  const controllers = issuer === undefined ? [] : await controllersAt(index, issuer, at)
  const { maxStatusAgeSeconds: seconds } = question
  const maxAgeMs = seconds === undefined ? Number.POSITIVE_INFINITY : seconds * 1000
  return { id: document.id, issuer, keepers: new Set([text, ...controllers]), at, maxAgeMs }
}

async function entryCheck(door: Door, entry: Json, asked: Asked): Promise<Finding> {
  const status = readStatus(entry)
  if ('wrong' in status) return failed(status.wrong, status.detail)
  return 'registryId' in status ? legacyEntryCheck(door, status, asked) : listEntryCheck(door, status, asked)
}

async function listEntryCheck(door: Door, { id, list, index, purpose }: StatusPlace, asked: Asked): Promise<Finding> {
  const place = placeOfList(door.config, list)
  if (!isIdOf(door, id, { place, index }))
    return failed('malformed', 'the id of the status entry names another list or index')
  if (place === 'elsewhere') return foreignBitCheck(door, { list, index, purpose, ...asked })
  if (place === 'nothing') return unavailable(`${list.slice(0, 200)} is no status list of this service`)
  if (place.ledger === undefined && purpose !== 'revocation')
    return unavailable('the status list of the entry is for the purpose revocation')
  return bitCheck(door, place, index, asked)
}

interface Place {
  place: ReturnType<typeof placeOfList>
  index: number
}

/** Where the id of an entry names a list of ours or an index, they are the ones that the entry is looked up at. */
function isIdOf({ config }: Door, id: Json | undefined, { place, index }: Place): boolean {
  if (id === undefined) return true
  const text = textOf(id)
  if (text === undefined) return false
  const [address = '', fragment = ''] = text.split('#')
  const named = placeOfList(config, address)
  if (typeof named === 'object' && (typeof place !== 'object' || named.registryId !== place.registryId)) return false
  return !/^\d+$/.test(fragment) || fragment === String(index)
}

async function bitCheck(door: Door, list: LedgerList, index: number, asked: Asked): Promise<Finding> {
  const { at } = asked
  const { block } = at
  const { registryId } = list
  const status = await statusAt(door.index, registryId, index, at)
  if (status === undefined) return missingRegistry(door, registryId, at)
  if (status.removed) return failed('registry_removed', 'its revocation registry was removed', { block })
  if (status.length === null || index >= status.length)
    return failed('index_out_of_range', 'its index lies outside the status list', { block })
  return status.isSet ? failed('revoked', 'it is revoked', { block }) : clear(list, status, asked)
}

/** What it is worth that a bit of our index is clear. */
function clear(list: LedgerList, registry: Pick<RevocationRegistryState, 'policy'>, asked: Asked): Finding {
  const { at, maxAgeMs } = asked
  if (!isOfThisLedger(list, asked) && !registry.policy.some((did) => asked.keepers.has(did)))
    return unavailable(`the registry ${list.registryId} of this ledger is not the issuer's: another one may be meant`)
  if (at.lagMs > maxAgeMs) return pending(`the index lags ${at.lagMs} ms behind the ledger`)
  return passed({ block: at.block })
}

/** Ids are chosen by whoever makes a registry: the same one on two ledgers says nothing. A did:key stands on each. */
const isOfThisLedger = ({ ledger }: LedgerList, { issuer }: Asked): boolean =>
  ledger === undefined || (ledger === 'svc' && issuer !== undefined && didKeyOf(issuer) === undefined)

async function missingRegistry({ db }: Door, registryId: string, at: At): Promise<Finding> {
  const stored = await db.read('public', (reader) => findRegistry(reader, registryId))
  if (stored?.status === 'pending' && at.requested === undefined)
    return pending('its revocation registry is not on the ledger yet')
  return unavailable(`the ledger had no registry ${registryId} at block ${at.block}`)
}

/** Older credentials name a registry only; what they are called there is the hash of their id. */
async function legacyEntryCheck(door: Door, { registryId, ledger }: LegacyRegistry, asked: Asked): Promise<Finding> {
  const { id, at } = asked
  if (typeof id !== 'string') return failed('malformed', 'it has a status of 2017, and no id')
  const state = await revocationRegistryAt(door.index, registryId, at)
  if (state === undefined) return missingRegistry(door, registryId, at)
  const { block } = at
  if (state.isRemoved) return failed('registry_removed', 'its revocation registry was removed', { block })
  const entries = await door.db.read(
    'public',
    async (reader) => (await findRegistry(reader, registryId)) && findEntries(reader, registryId, [revocationIdOf(id)]),
  )
  // Which of its bits are the credential's, only the service knows that keeps it.
  if (entries === undefined)
    return unavailable(`what is revoked in the registry ${registryId} is kept by another service`)
  const set = await setBitsAt(door.index, entries, at)
  if (set.size > 0) return failed('revoked', 'it is revoked', { block })
  return clear({ registryId, ledger }, state, asked)
}
