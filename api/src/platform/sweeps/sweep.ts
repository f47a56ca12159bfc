import { type Loop, startLoop } from '@accredit/process/loop'
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
