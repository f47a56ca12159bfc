import { sql } from 'kysely'
import type { Environment } from '../http/context.js'

/**
 * Something that is done again and again outside any request, and may run twice: what effects leave for after their
 * commit.
 */
export type Sweep = (environment: Environment) => Promise<void>

export interface Sweeper {
  /** Runs all soon; asked for while it runs, it runs once more. */
  sweep(): void
  close(): Promise<void>
}

/** Runs the sweeps when asked to, and every `everyMs`. One that fails does not stop the others. */
export function startSweeper(environment: Environment, sweeps: readonly Sweep[], everyMs: number): Sweeper {
  let running: Promise<void> | undefined
  let isWanted = false
  let isClosed = false
  const runAll = async (): Promise<void> => {
    while (isWanted && !isClosed) {
      isWanted = false
      for (const sweep of sweeps)
        await sweep(environment).catch((error: unknown) =>
          environment.log.error({ err: error, sweep: sweep.name }, 'a sweep failed'),
        )
    }
  }
  const sweep = (): void => {
    isWanted = true
    running ??= runAll().finally(() => {
      running = undefined
      if (isWanted && !isClosed) sweep()
    })
  }
  const timer = setInterval(sweep, everyMs)
  return {
    sweep,
    async close() {
      isClosed = true
      clearInterval(timer)
      await running
    },
  }
}

/**
 * Forgets what is kept for a time only: answers to retries after 24 hours, undelivered events after 7 days, ended jobs
 * after 30.
 */
export const forgetExpired: Sweep = async ({ db }) => {
  await db.transaction('system', async (tx) => {
    await sql`delete from service.idempotency_keys where created < now() - interval '24 hours'`.execute(tx)
    await sql`delete from service.outgoing_events where created < now() - interval '7 days'`.execute(tx)
    await sql`delete from service.jobs where created < now() - interval '30 days' and status in ('finalized', 'error')`.execute(
      tx,
    )
  })
}
