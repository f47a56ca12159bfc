import { createLog } from '@accredit/process/log'
import { createPinoSink, setRootSink } from '@subsquid/logger'

export const log = createLog({
  name: 'indexer',
  // Lines of the libraries bring a time of their own, in another form.
  formatters: { log: ({ time: _, ...members }) => members },
})

/**
 * Sends lines of Subsquid's libraries the same way; their own settings decide which they write (SQD_INFO, SQD_DEBUG).
 */
export function takeOverLibraryLogs(): void {
  setRootSink(createPinoSink(log))
}
