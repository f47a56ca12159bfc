/** Reads and seals the rows of a batch in a thread of its own: thousands take long. */
import { Type } from 'typebox'
import { invalid } from '../../platform/errors.js'
import { isFields } from '../../platform/http/input/json-schema.js'
import { readBody, refuseUnstorable, type UnreadBody } from '../../platform/http/input/request-body.js'
import { decidingBodyReader } from '../../platform/http/input/unknown-members.js'
import { type ToldRefusal, tellRefusal } from '../../platform/process/told-refusal.js'
import { ROWS_MAX } from './batch-limits.js'
import { sealRow } from './batch-seal.js'

export interface RowsTask {
  body: Pick<UnreadBody, 'bytes' | 'isLines'>
  /** The deepest nesting of a row. */
  depthLimit: number
  key: Uint8Array
  seal: string
}

/** The sealed rows, one after the other, and the place at which each ends. */
export interface SealedRows {
  bytes: Uint8Array
  ends: number[]
}

/** The body and the list around a row. */
const AROUND = 2

const refuseUnknown = decidingBodyReader<object>(Type.Object({ rows: Type.Unknown() }))

export default function sealRows({ body, depthLimit, key, seal }: RowsTask): SealedRows | ToldRefusal {
  return tellRefusal(() => {
    const read = readBody(body, body.isLines ? depthLimit : depthLimit + AROUND)
    const rows = rowsIn(body.isLines ? { rows: read } : read)
    const sealed = rows.map((value, index) => sealRow(key, { seal, row: index + 1, holds: 'request' }, value))
    let end = 0
    return { bytes: Buffer.concat(sealed), ends: sealed.map(({ length }) => (end += length)) }
  })
}

function rowsIn(body: unknown): unknown[] {
  if (!isFields(body)) throw invalid('The body must be an object with rows, or one row a line as application/x-ndjson')
  const { rows, ...others } = body
  // A row with such a text is refused alone.
  refuseUnstorable(others)
  refuseUnknown(body, () => [])
  if (!Array.isArray(rows)) throw invalid('rows must be a list', { field: 'rows' })
  if (rows.length === 0 || rows.length > ROWS_MAX)
    throw invalid(`rows must be a list of 1 to ${ROWS_MAX}; got ${rows.length}`, { field: 'rows' })
  return rows
}
