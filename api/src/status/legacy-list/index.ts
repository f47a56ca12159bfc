import { type Hex32, parseHex32 } from '@accredit/chain'
import { type Finding, failed, unavailable } from '../../formats/check.js'
import { idOf, type JsonObject, textOf } from '../../formats/json.js'
import { setBitsAt } from '../../ledger/read/set-bits.js'
import { revocationRegistryAt } from '../../ledger/read/status-list.js'
import type { Environment } from '../../platform/http/context.js'
import { findEntries } from '../entries.store.js'
import { findRegistry } from '../registry.store.js'
import { clear, missingRegistry } from '../registry-standing.js'
import { revocationIdOf } from '../revocation-id.js'
import { statusList } from '../status-list/index.js'
import { isOtherLedger } from '../status-list/status-entry.js'
import type { Asked, CheckingDoor, ClaimedPlace, StatusMethod } from '../status-method.js'

/**
 * CredentialStatusList2017: a credential names a registry only, which knows it by the hash of its id. Its registries
 * make new credentials their places in status lists.
 */
export const legacyList: StatusMethod = {
  ...statusList,
  registryType: 'CredentialStatusList2017',
  isDeprecated: true,
  reads: ({ type }) => type === 'CredentialStatusList2017',
  wrongIn: (entry) => (readEntry(entry) === undefined ? NO_REGISTRY : undefined),
  placeOf: () => undefined,
  claimedPlaces: placesOf,
  check,
}

const NO_REGISTRY = 'the status entry names no registry'
const LEGACY_REGISTRY = /^rev-reg:([a-z0-9]+):(0x[0-9a-f]+)$/i

interface LegacyRegistry {
  registryId: Hex32
  /** The short name of its ledger. */
  ledger: string
}

function readEntry(entry: JsonObject): LegacyRegistry | undefined {
  const [, ledger = '', text = ''] = LEGACY_REGISTRY.exec(idOf(entry) ?? '') ?? []
  const registryId = parseHex32(text)
  return registryId && { registryId, ledger: ledger.toLowerCase() }
}

function placesOf(config: Environment['config'], entry: JsonObject): ClaimedPlace[] {
  const named = readEntry(entry)
  const own =
    named === undefined || isOtherLedger(named)
      ? []
      : [{ uri: textOf(entry.id) ?? named.registryId, registryId: named.registryId }]
  return [...statusList.claimedPlaces(config, entry), ...own]
}

async function check(door: CheckingDoor, entry: JsonObject, asked: Asked): Promise<Finding> {
  const named = readEntry(entry)
  if (named === undefined) return failed('malformed', NO_REGISTRY)
  const { registryId } = named
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
  // Only the service that keeps the registry knows which of its bits are the credential's.
  if (entries === undefined)
    return unavailable(`what is revoked in the registry ${registryId} is kept by another service`)
  const set = await setBitsAt(door.index, entries, at)
  if (set.size > 0) return failed('revoked', 'it is revoked', { block })
  return clear(named, state, asked)
}
