import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'

/** Writes one JSON object a line to standard output, or to another destination. */
export function createLog(options: LoggerOptions & { name: string }, destination?: DestinationStream): Logger {
  return pino(
    { timestamp: pino.stdTimeFunctions.isoTime, ...options },
    // The writes are synchronous: at the exit, sonic-boom would flush lines whose reader is gone for ever.
    destination ?? pino.destination({ fd: 1, sync: true }),
  )
}
