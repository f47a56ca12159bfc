import { type Hex32, parseHex32 } from '@accredit/chain'
import type { JsonObject } from '../../formats/json.js'
import { type Bases, ownPath } from '../../platform/security/own-addresses.js'
import type { NamedRegistry } from '../registry-standing.js'
import { bareHex } from '../revocation-id.js'

/** The size of automatic and requested registries: the most that the ledger takes. */
export const LIST_LENGTH = 2 ** 20

const PATH = '/status-lists/'

/**
 * The ends of the addresses of one list, one for each form. Readers of lists say with `Accept` neither which of two kinds
 * of JSON-LD they want, nor anything at all where they are caches; and the name of a list, which is signed, has to be the
 * address that it was asked for at.
 */
export const LIST_PATHS = ['', '/bitstring', '/token'] as const
export type ListPath = (typeof LIST_PATHS)[number]

/** Returns the public address of a registry's list in a form. It stands in signed credentials. */
export const statusListUrl = (apiUrl: string, registryId: string, path: ListPath): string =>
  `${apiUrl}${PATH}${bareHex(registryId)}${path}`

/**
 * `credentialStatus` of a credential at `index`.
 * https://www.w3.org/community/reports/credentials/CG-FINAL-vc-status-list-2021-20230102/
 * https://www.w3.org/TR/vc-bitstring-status-list/#bitstringstatuslistentry
 */
export const statusEntry = (type: string, url: string, index: number, statusPurpose: string): JsonObject => ({
  id: `${url}#${index}`,
  type,
  statusPurpose,
  statusListIndex: String(index),
  statusListCredential: url,
})

const OWN_PATH = /^\/status-lists\/([^/]+)(\/[^/]+)?\/?$/
const LEDGER_ID = /^status-list2021:([a-z0-9]+(?::[a-z0-9]+)?):(0x[0-9a-f]+)$/i

/** A list of a registry of this ledger, in the form of its path; a ledger identifier names the first. */
export type LedgerList = NamedRegistry & { registryId: Hex32; path: ListPath }

export const isOtherLedger = ({ ledger }: NamedRegistry): boolean => ledger !== undefined && ledger !== 'svc'

/**
 * Reads a `statusListCredential`: it names a list of ours by its URL, in any spelling, or by a ledger identifier.
 * @returns `nothing` for a list that can only stand here and does not
 */
export function placeOfList(bases: Bases, list: string): LedgerList | 'nothing' | 'elsewhere' {
  const named = LEDGER_ID.exec(list)
  if (named !== null) {
    const [, ledger = '', id = ''] = named
    const registryId = parseHex32(id)
    return registryId === undefined ? 'nothing' : { registryId, path: '', ledger: ledger.toLowerCase() }
  }
  const path = ownPath(bases, list)
  if (path === undefined) return 'elsewhere'
  const [, id = '', form = ''] = OWN_PATH.exec(path) ?? []
  const [registryId, known] = [parseHex32(id), LIST_PATHS.find((one) => one === form)]
  return registryId === undefined || known === undefined ? 'nothing' : { registryId, path: known }
}
