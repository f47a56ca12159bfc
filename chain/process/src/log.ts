import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { type GatheredLines, gathered } from './gathered-lines'

/** Writes one JSON object a line to standard output, or to another destination. */
export function createLog(options: LoggerOptions & { name: string }, destination?: DestinationStream): Logger {
  return pino({ timestamp: pino.stdTimeFunctions.isoTime, ...options }, destination ?? standardOutput())
}

const SWITCHED = 'debug'

/**
 * Lets an operator see more of a running process: SIGUSR2 switches the log to `debug`, and a second one back to the
 * level that was set. Lines of requests and tasks that begin from then on have the new level.
 */
export function switchLevelOnSignal(log: Logger): void {
  const set = log.level
  process.on('SIGUSR2', () => {
    log.level = log.level === set ? SWITCHED : set
    log.info({ nowAt: log.level }, 'the log has another level')
  })
}

let output: GatheredLines | undefined

/** All logs of a process share one, so that their lines keep their order. */
function standardOutput(): DestinationStream {
  if (output !== undefined) return output
  // The writes are synchronous: at the exit, sonic-boom would flush lines whose reader is gone for ever.
  output = gathered(pino.destination({ fd: 1, sync: true }))
  process.on('exit', output.flush)
  return output
}
