import { Readable } from 'node:stream'
import { invalid } from '../errors.js'
import { wantedForm } from './accept.js'
import type { AnyContext } from './context.js'

/** The forms in which all of a list is told at once, without pages. */
const STREAM_TYPES = ['application/x-ndjson', 'text/csv'] as const
type StreamType = (typeof STREAM_TYPES)[number]

/** The media types of a list that can be streamed. */
export const LIST_TYPES = ['application/json', ...STREAM_TYPES]

export const STREAM_NOTE =
  'With `Accept: application/x-ndjson` or `text/csv` everything that matches is streamed, without pages, where that is wanted (`q`) no less than JSON.'

/** The number of rows read at a time, and held in memory. */
export const STREAM_CHUNK = 500

/**
 * Returns the form in which a caller wants all of a list; undefined: a page, as JSON.
 *
 * @param ofPages parameters that only pages have, as far as they were given
 * @throws 400 when one was given for a stream
 */
export function wantedStream(
  ctx: Pick<AnyContext, 'accept' | 'reply'>,
  ofPages: Record<string, unknown>,
): StreamType | undefined {
  ctx.reply.header('Vary', 'Accept')
  const type = streamType(ctx.accept)
  const given = Object.keys(ofPages).find((name) => ofPages[name] !== undefined)
  if (type !== undefined && given !== undefined)
    throw invalid(`${given} is for pages; as ${type} everything is streamed`)
  return type
}

export const streamType = (accept: string | undefined): StreamType | undefined => wantedForm(accept, STREAM_TYPES).named

/** A row of a list; its columns are members of it, in their order. */
interface Table<Row> {
  columns: readonly (keyof Row & string)[]
  /** The rows, as many at a time as are read at once; the next ones when somebody takes them. */
  chunks: AsyncIterable<readonly Row[]>
}

/** Answers all of a list as a stream. A stream that fails before its first rows is refused like a page. */
export async function streamedList<Row extends object>(
  ctx: Pick<AnyContext, 'reply'>,
  type: StreamType,
  { columns, chunks }: Table<Row>,
): Promise<Readable> {
  const rest = chunks[Symbol.asyncIterator]()
  const first = await rest.next()
  ctx.reply.type(`${type}; charset=utf-8`)
  const line = (row: Row) => (type === 'text/csv' ? csvLine(columns.map((column) => row[column])) : jsonLine(row))
  async function* lines(): AsyncGenerator<string> {
    try {
      // A stream that has begun releases its source, also when nobody takes a line.
      yield ''
      if (type === 'text/csv') yield csvLine(columns)
      for (let next = first; !next.done; next = await rest.next()) yield next.value.map(line).join('')
    } finally {
      await rest.return?.()
    }
  }
  const text = lines()
  await text.next()
  return Readable.from(text)
}

/** The members of a schema as columns. */
export const columnsOf = <Properties extends object>({ properties }: { properties: Properties }) =>
  Object.keys(properties) as (keyof Properties & string)[]

const jsonLine = (row: object): string => `${JSON.stringify(row)}\n`

/** One line of CSV (RFC 4180). */
export const csvLine = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`

function cell(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  // Spreadsheets run a text that begins like a formula; a quote before it keeps it text.
  const safe = /^[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
