import { createPinoSink, setRootSink } from '@subsquid/logger'
import { pino } from 'pino'

/** One JSON object a line on standard output. */
export const log = pino(
  {
    name: 'indexer',
    timestamp: pino.stdTimeFunctions.isoTime,
    // What the libraries log brings a time of its own, in another form.
    formatters: { log: ({ time: _, ...members }) => members },
  },
  // Synchronous: at the exit, sonic-boom flushes lines whose reader is gone for ever.
  pino.destination({ fd: 1, sync: true }),
)

/** What Subsquid's libraries say goes the same way; which of it they say is for their own settings (SQD_INFO, SQD_DEBUG). */
export function takeOverLibraryLogs(): void {
  setRootSink(createPinoSink(log))
}
