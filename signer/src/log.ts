import { pino } from 'pino'

/** One JSON object a line on standard output. */
export const log = pino(
  { name: 'signer', level: process.env.LOG_LEVEL ?? 'info', timestamp: pino.stdTimeFunctions.isoTime },
  // Synchronous: at the exit, sonic-boom flushes lines whose reader is gone for ever.
  pino.destination({ fd: 1, sync: true }),
)
