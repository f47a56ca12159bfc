import { createPinoSink, setRootSink } from '@subsquid/logger'
import { pino } from 'pino'

/** One JSON object a line on standard output. */
export const log = pino(
  {
    name: 'indexer',
    timestamp: pino.stdTimeFunctions.isoTime,
    // Lines of the libraries bring a time of their own, in another form.
    formatters: { log: ({ time: _, ...members }) => members },
  },
  // Synchronous: at the exit, sonic-boom flushes lines whose reader is gone for ever.
  pino.destination({ fd: 1, sync: true }),
)

/** Sends lines of Subsquid's libraries the same way; their own settings say which they write (SQD_INFO, SQD_DEBUG). */
export function takeOverLibraryLogs(): void {
  setRootSink(createPinoSink(log))
}
