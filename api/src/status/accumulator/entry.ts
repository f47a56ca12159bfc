import { decodeBase58, type Hex, type Hex32, hexOf, parseHex32 } from '@accredit/chain'
import { type JsonObject, quoted, textOf } from '../../formats/json.js'
import { parseStatusIndex } from '../status-list/encoded-list.js'
import { ACCUMULATOR } from './keys.js'

/** P1 of the parameters that every wallet of the field has: the value that nothing was removed from. */
export const FIRST_VALUE: Hex =
  '0xaa62c3dd09056155f1ddea5ec45e9b1c3c29b2e4db10e84db231bc96d5b806eae4eeda48104b1e5889571865716814a6'

/** The most members that the ledger numbers. */
export const MOST_MEMBERS = 2 ** 20

/** The content of an entry: the index of a credential, or the value that its holder proves to be a member of. */
export interface AccumulatorEntry {
  registryId: Hex32
  /** undefined in what a holder derived: it is hidden. */
  index: number | undefined
  accumulated: Hex | undefined
}

export interface WrongEntry {
  /** `unavailable`: it may be good, and cannot be checked here. */
  wrong: 'malformed' | 'unavailable'
  detail: string
}

/** `credentialStatus` of a credential: these are the names that are signed in wallets of the field. */
export const accumulatorEntry = (registryId: string, index: number): JsonObject => ({
  id: `dock:accumulator:${registryId}`,
  type: ACCUMULATOR,
  revocationCheck: 'membership',
  revocationId: String(index),
})

/** The names of this ledger: the field's, and its own. */
const ID = /^(?:dock|svc):accumulator:(0x[0-9a-f]+)$/i

export function readEntry({
  id,
  revocationCheck,
  revocationId,
  accumulated,
}: JsonObject): AccumulatorEntry | WrongEntry {
  const registryId = parseHex32(ID.exec(textOf(id) ?? '')?.[1] ?? '')
  if (registryId === undefined)
    return { wrong: 'unavailable', detail: `${quoted(id)} names no accumulator of this ledger` }
  if (revocationCheck !== 'membership')
    return { wrong: 'unavailable', detail: `a check ${quoted(revocationCheck)} of a status cannot be done here` }
  // The text is a member, so that another spelling of the number is another one.
  const index = typeof revocationId === 'string' ? parseStatusIndex(revocationId) : undefined
  if (revocationId !== undefined && index === undefined)
    return { wrong: 'malformed', detail: 'the revocationId of the status entry is no decimal number' }
  const value = accumulated === undefined ? undefined : pointOf(textOf(accumulated) ?? '')
  if (accumulated !== undefined && value === undefined)
    return { wrong: 'malformed', detail: 'the accumulated value of the status entry is no value' }
  return { registryId, index, accumulated: value }
}

const POINT_BYTES = 48

function pointOf(text: string): Hex | undefined {
  const bytes = text.length <= 2 * POINT_BYTES ? decodeBase58(text) : undefined
  return bytes?.length === POINT_BYTES ? hexOf(bytes) : undefined
}

/** The flag of the point at infinity, which everything is a member of. */
export const isIdentity = (value: string): boolean => (Number.parseInt(value.slice(2, 4), 16) & 0x40) !== 0
