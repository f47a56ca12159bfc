import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'

/** Writes one JSON object a line on standard output, or where else the lines shall go. */
export function createLog(options: LoggerOptions & { name: string }, destination?: DestinationStream): Logger {
  return pino(
    { timestamp: pino.stdTimeFunctions.isoTime, ...options },
    // Synchronous: at the exit, sonic-boom flushes lines whose reader is gone for ever.
    destination ?? pino.destination({ fd: 1, sync: true }),
  )
}
