import { type Loop, startLoop } from '@accredit/process/loop'
import { sql } from 'kysely'
import type { Environment } from '../http/context.js'

/**
 * A task that is repeated outside any request, and may run twice: the part of effects that comes after their commit.
 */
export type Sweep = (environment: Environment) => Promise<void>

const GATHER_MS = 1000

/**
 * Runs the sweeps a second after a wake-up, for all that is there to be swept by then, and after `everyMs` without one.
 * One that fails does not stop the others.
 */
export function startSweeper(environment: Environment, sweeps: readonly Sweep[], everyMs: number): Loop {
  const { log } = environment
  async function sweepAll(): Promise<boolean> {
    for (const sweep of sweeps)
      await sweep(environment).catch((error: unknown) => log.error({ err: error, sweep: sweep.name }, 'a sweep failed'))
    return false
  }
  const onError = (error: unknown): void => log.error({ err: error }, 'a round of sweeps failed')
  const loop = startLoop(sweepAll, { onError, everyMs })
  let gathering: NodeJS.Timeout | undefined
  return {
    wake() {
      gathering ??= setTimeout(() => {
        gathering = undefined
        loop.wake()
      }, GATHER_MS)
    },
    stop() {
      clearTimeout(gathering)
      return loop.stop()
    },
  }
}

/**
 * Deletes rows that are kept for a time only: answers to retries after 24 hours, undelivered events after 7 days, ended
 * jobs after 30.
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
