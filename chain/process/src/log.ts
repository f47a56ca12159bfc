import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { gathered } from './gathered-lines'

/** Writes one JSON object a line to standard output, or to another destination. */
export function createLog(options: LoggerOptions & { name: string }, destination?: DestinationStream): Logger {
  return pino({ timestamp: pino.stdTimeFunctions.isoTime, ...options }, destination ?? standardOutput())
}

function standardOutput(): DestinationStream {
  // The writes are synchronous: at the exit, sonic-boom would flush lines whose reader is gone for ever.
  const lines = gathered(pino.destination({ fd: 1, sync: true }))
  process.on('exit', lines.flush)
  return lines
}
