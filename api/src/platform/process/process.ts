import type { Logger } from 'pino'
import { createLog } from './log.js'

/**
 * Stops once, on SIGTERM, SIGINT or (supervised) the end of standard input; exits when `stop` is done, or after
 * `graceMs`.
 */
export function stopOnSignals(options: {
  supervised: boolean
  log: Logger
  graceMs?: number
  stop: () => Promise<void>
}): void {
  const { supervised, log, stop, graceMs = 15_000 } = options
  let isStopping = false
  const end = (reason: string): void => {
    if (isStopping) return
    isStopping = true
    log.info({ reason }, 'stopping')
    setTimeout(() => process.exit(1), graceMs).unref()
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end(signal))
  if (supervised) {
    process.stdin.on('end', () => end('the supervisor is gone'))
    process.stdin.on('error', () => end('the supervisor is gone'))
    process.stdin.resume()
  }
}

/** Runs a process that goes on. The last line of its log tells why it ended by itself. */
export async function runService(name: string, run: () => Promise<void>): Promise<void> {
  const log = createLog('info', name)
  const fail = (error: unknown): never => {
    if (isOurFault(error)) log.fatal({ err: error }, 'it cannot go on')
    else log.fatal(explain(error))
    process.exit(1)
  }
  process.on('uncaughtException', fail)
  await run().catch(fail)
}

const isOurFault = (error: unknown): boolean => error instanceof TypeError || error instanceof ReferenceError

/**
 * Runs a command. A fault of its settings or its surroundings is told in one sentence, a fault of ours with its stack.
 */
export async function runProcess(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    process.stderr.write(`${name}: ${explain(error)}\n`)
    process.exit(1)
  }
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (isOurFault(error)) return error.stack ?? error.message
  // A refused connection is an AggregateError without a text of its own.
  return error.message || (error instanceof AggregateError ? error.errors.map(explain).join('; ') : error.name)
}

export const tellReady = (message: Record<string, unknown>): void =>
  void process.stdout.write(`${JSON.stringify(message)}\n`)
