import { seal, unseal } from '@accredit/process/seal'
import type { Environment } from '../../platform/http/context.js'
import { systemRandom } from '../../platform/process/random.js'

/** The purpose of the key that seals rows, which may hold passwords and claims, and their results. */
const LABEL = 'credential batch'

export const batchKey = ({ deriveKey }: Pick<Environment, 'deriveKey'>): Buffer => deriveKey(LABEL)

/** The place of a sealed row: it opens nowhere else. */
export interface RowPlace {
  /** The `seal` of its batch. */
  seal: string
  row: number
  holds: 'request' | 'outcome'
}

const contextOf = ({ seal, row, holds }: RowPlace): string => `${seal} ${row} ${holds}`

export const sealRow = (key: Uint8Array, place: RowPlace, value: unknown): Buffer =>
  seal(key, Buffer.from(JSON.stringify(value)), contextOf(place), systemRandom.bytes)

/** Returns the JSON text of a row. @throws when it was sealed under another key, or for another place */
export const openRow = (key: Uint8Array, place: RowPlace, sealed: Uint8Array): string =>
  unseal(key, sealed, contextOf(place)).toString()
