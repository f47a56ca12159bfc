import { type Hex32, parseHex32 } from '@accredit/chain'
import type { JsonObject } from '../../formats/json.js'
import { type Bases, ownPath } from '../../platform/security/own-addresses.js'
import type { NamedRegistry } from '../registry-standing.js'
import { bareHex } from '../revocation-id.js'

/** The size of automatic and requested registries: the most that the ledger takes. */
export const LIST_LENGTH = 2 ** 20

const PATH = '/status-lists/'

/** Returns the public address of a registry's list. It stands in signed credentials. */
export const statusListUrl = (apiUrl: string, registryId: string): string => `${apiUrl}${PATH}${bareHex(registryId)}`

/**
 * `credentialStatus` of a credential at `index`.
 * https://www.w3.org/community/reports/credentials/CG-FINAL-vc-status-list-2021-20230102/
 */
export function statusEntry(apiUrl: string, registryId: string, index: number): JsonObject {
  const url = statusListUrl(apiUrl, registryId)
  return {
    id: `${url}#${index}`,
    type: 'StatusList2021Entry',
    statusPurpose: 'revocation',
    statusListIndex: String(index),
    statusListCredential: url,
  }
}

const LEDGER_ID = /^status-list2021:([a-z0-9]+(?::[a-z0-9]+)?):(0x[0-9a-f]+)$/i

/** A list of a registry of this ledger. */
export type LedgerList = NamedRegistry & { registryId: Hex32 }

/**
 * Reads a `statusListCredential`: it names a list of ours by its URL, in any spelling, or by a ledger identifier.
 * @returns `nothing` for a list that can only stand here and does not
 */
export function placeOfList(bases: Bases, list: string): LedgerList | 'nothing' | 'elsewhere' {
  const [, ledger, id] = LEDGER_ID.exec(list) ?? []
  if (ledger !== undefined && id !== undefined) {
    const registryId = parseHex32(id)
    return registryId === undefined ? 'nothing' : { registryId, ledger: ledger.toLowerCase() }
  }
  const path = ownPath(bases, list)
  if (path === undefined) return 'elsewhere'
  const registryId = path.startsWith(PATH) ? parseHex32(path.slice(PATH.length).replace(/\/$/, '')) : undefined
  return registryId === undefined ? 'nothing' : { registryId }
}
