import { type Logger, pino } from 'pino'

/** One JSON object a line on standard output. */
export function createLog(level: string): Logger {
  const options = { name: 'ledger', level, timestamp: pino.stdTimeFunctions.isoTime }
  // Synchronous: at the exit, sonic-boom flushes lines whose reader is gone for ever.
  return pino(options, pino.destination({ fd: 1, sync: true }))
}
