import { once } from 'node:events'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { type ExportServices, exportedLines, TABLES } from './export-rows.js'

/**
 * Writes a zip with a file for each table, in lines of JSON, and a manifest with their numbers. One row after the other
 * goes through: whatever there is takes the same memory.
 */
export async function writeZip(services: ExportServices, target: Writable, time: Date): Promise<void> {
  const zip = new ZipFile()
  const counts: Record<string, number> = {}
  const failed = new AbortController()
  zip.on('error', (error) => failed.abort(error))
  async function* linesOf(table: string): AsyncGenerator<string> {
    let count = 0
    for await (const lines of exportedLines(services, table)) {
      count += lines.length
      yield `${lines.join('\n')}\n`
    }
    counts[table] = count
  }
  let reading: Readable | undefined
  const add = (name: string, text: () => Iterable<string> | AsyncIterable<string>): void =>
    zip.addReadStreamLazy(name, { mtime: time, mode: 0o100600 }, (give) => {
      if (failed.signal.aborted) return
      // It reads one piece ahead of what compresses them; the default is sixteen.
      reading = Readable.from(text(), { highWaterMark: 1 })
      reading.on('error', (error) => failed.abort(error))
      give(null, reading)
    })
  for (const table of TABLES.keys()) add(`${table}.ndjson`, () => linesOf(table))
  const { team } = services
  add('manifest.json', () => [`${JSON.stringify({ team, time: time.toISOString(), rows: counts }, null, 2)}\n`])
  zip.end()
  try {
    await pipeline(zip.outputStream, target, { signal: failed.signal })
  } catch (error) {
    failed.abort(error)
    // Nobody reads in the snapshot when this has ended.
    if (reading !== undefined && !reading.closed) await once(reading.destroy(), 'close')
    throw error
  }
}
