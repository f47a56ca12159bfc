import { parseHex32 } from '@accredit/chain'
import type { At } from '../ledger/at.js'
import { revocationRegistryAt, statusAt } from '../ledger/status-list.js'
import type { Environment } from '../platform/context.js'
import { findEntries, findRegistry } from '../revocation/registry.store.js'
import { revocationIdOf } from '../revocation/revocation-id.js'
import { setBitsAt } from '../revocation/set-bits.js'
import { registryOfList } from '../revocation/status-entry.js'
import { asArray, idOf, isObject, type Json, type JsonObject, quoted, textOf } from '../suites/json.js'
import { parseStatusIndex } from '../suites/status-list.js'
import { type Finding, failed, NOT_APPLICABLE, passed, pending, unavailable } from './check.js'
import { foreignBitCheck } from './foreign-list.js'

type Door = Pick<Environment, 'index' | 'db' | 'config' | 'clock' | 'guardedFetch'>

const MAX_ENTRIES = 4
const PURPOSES: ReadonlySet<Json | undefined> = new Set(['revocation', 'suspension'])
const LEGACY_REGISTRY = /^rev-reg:[a-z0-9]+:(0x[0-9a-f]+)$/i

/** Whether a credential is revoked or suspended. Its status entries must all be known and clear; what is not known fails. */
export async function statusCheck(door: Door, document: JsonObject, at: At): Promise<Finding> {
  const entries = asArray(document.credentialStatus ?? undefined)
  if (entries.length === 0) return NOT_APPLICABLE
  if (entries.length > MAX_ENTRIES) return failed('malformed', `it has more than ${MAX_ENTRIES} status entries`)
  for (const entry of entries) {
    const finding = isObject(entry)
      ? await entryCheck(door, document, entry, at)
      : failed('malformed', 'a status entry is no object')
    if (finding.passed !== true) return finding
  }
  return passed({ block: at.block })
}

async function entryCheck(door: Door, document: JsonObject, entry: JsonObject, at: At): Promise<Finding> {
  if (entry.type === 'StatusList2021Entry') return listEntryCheck(door, entry, at)
  if (entry.type === 'CredentialStatusList2017') return legacyEntryCheck(door, document, entry, at)
  return unavailable(`status entries of type ${quoted(entry.type)} cannot be checked here`)
}

async function listEntryCheck(door: Door, entry: JsonObject, at: At): Promise<Finding> {
  const list = textOf(entry.statusListCredential)
  const index = parseStatusIndex(entry.statusListIndex)
  if (list === undefined || index === undefined)
    return failed('malformed', 'the status entry has no statusListCredential or no valid statusListIndex')
  if (!PURPOSES.has(entry.statusPurpose))
    return unavailable(`a status of purpose ${quoted(entry.statusPurpose)} cannot be checked here`)
  const registryId = registryOfList(door.config.apiUrl, list)
  if (registryId === undefined) return foreignBitCheck(door, { list, index, purpose: entry.statusPurpose }, at)
  return bitCheck(door, registryId, index, at)
}

async function bitCheck(door: Door, registryId: string, index: number, at: At): Promise<Finding> {
  const { block } = at
  const status = await statusAt(door.index, registryId, index, at)
  if (status === undefined) return missingRegistry(door, registryId, at)
  if (status.removed) return failed('registry_removed', 'its revocation registry was removed', { block })
  if (status.length === null || index >= status.length)
    return failed('index_out_of_range', 'its index lies outside the status list', { block })
  return status.isSet ? failed('revoked', 'it is revoked', { block }) : passed({ block })
}

async function missingRegistry({ db }: Door, registryId: string, at: At): Promise<Finding> {
  const stored = await db.read('public', (reader) => findRegistry(reader, registryId))
  if (stored?.status === 'pending' && at.requested === undefined)
    return pending('its revocation registry is not on the ledger yet')
  return unavailable(`the ledger had no registry ${registryId} at block ${at.block}`)
}

/** Older credentials name a registry only; what they are called there is the hash of their id. */
async function legacyEntryCheck(door: Door, { id }: JsonObject, entry: JsonObject, at: At): Promise<Finding> {
  const registryId = parseHex32(LEGACY_REGISTRY.exec(idOf(entry) ?? '')?.[1] ?? '')
  if (registryId === undefined || typeof id !== 'string')
    return failed('malformed', 'the status entry names no registry')
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
  return set.size > 0 ? failed('revoked', 'it is revoked', { block }) : passed({ block })
}
