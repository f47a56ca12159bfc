import type { LedgerEvent } from './ledger-event.shape.js'

const COLUMNS = [
  'id',
  'block',
  'time',
  'event',
  'actor',
  'keyId',
  'nonce',
  'callHash',
  'submitter',
  'extrinsicHash',
  'registryId',
  'schemaId',
  'schemaUri',
  'subject',
  'before',
  'after',
] as const satisfies readonly (keyof LedgerEvent)[]

export const CSV_HEADER = `${COLUMNS.join(',')}\r\n`

/** One line of CSV (RFC 4180). */
export function csvLine(event: LedgerEvent): string {
  return `${COLUMNS.map((column) => cell(event[column])).join(',')}\r\n`
}

function cell(value: LedgerEvent[keyof LedgerEvent]): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  // Spreadsheets run what begins like a formula; a quote before it keeps it text.
  const safe = /^[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
