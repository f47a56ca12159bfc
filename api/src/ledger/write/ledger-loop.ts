import { type Loop, startLoop } from '@accredit/process/loop'
import type { Logger } from 'pino'
import type { Heard } from '../../platform/database/listen.js'
import type { ContextServices } from '../../platform/http/context.js'
import { ledgerStepFailures } from '../../platform/process/work-metrics.js'
import { dueSteps } from './due-steps.js'
import { type FollowerServices, followLedger } from './follower.js'
import { collectOutcomes, openToldOutcomes } from './outcomes.js'
import { type PlanServices, planActions } from './plan-actions.js'
import { type RelayServices, relayActions } from './relay.js'

interface LedgerLoopOptions {
  /** The time after which a round runs without a hint. */
  pollMs: number
  /** Called after a round in which actions came to their end. */
  onSettled: () => void
  log: Logger
}

export interface LedgerLoop extends Loop {
  /** Runs a round soon. What was heard says which outcomes the signer has; without it all are asked for. */
  wake(heard?: Heard): void
}

const RETRY_MS = 1000

/**
 * Starts the loop. A round relays the outbox to the signer, collects outcomes, ends jobs and makes planned actions, as
 * far as there are any. Hints wake it; every `pollMs` it looks by itself.
 */
export function startLedgerLoop(
  services: RelayServices & FollowerServices & PlanServices & Pick<ContextServices, 'signer'>,
  { pollMs, onSettled, log }: LedgerLoopOptions,
): LedgerLoop {
  const told = openToldOutcomes(pollMs)
  let retry: NodeJS.Timeout | undefined

  // A step that fails (no signer, no index yet) must not stop the others; a later round tries again.
  const attempt = <T>(step: string, work: () => Promise<T>): Promise<T | undefined> =>
    work().catch((error: unknown) => {
      log.error({ err: error, step }, 'a step of the ledger loop failed')
      ledgerStepFailures.inc({ step })
      clearTimeout(retry)
      retry = setTimeout(wake, RETRY_MS)
      return undefined
    })

  async function round(): Promise<boolean> {
    const due = await attempt('look', () => dueSteps(services.db))
    if (due === undefined) return false
    const which = due.outcomes ? told.take() : []
    const relayed = due.relay ? await attempt('relay', () => relayActions(services)) : undefined
    const ended = which.length > 0 ? await attempt('outcomes', () => collectOutcomes(services, which)) : undefined
    const followed = due.follow ? await attempt('follow', () => followLedger(services)) : undefined
    if (followed && followed.ended > 0) onSettled()
    const planned = due.plan ? await attempt('plan', () => planActions(services)) : undefined
    // Another step may wait for what was done: actions that were left find room, ended ones leave it.
    const isMoving = [relayed?.refused, ended, followed?.ended, planned].some((count = 0) => count > 0)
    return isMoving || (relayed !== undefined && relayed.left > 0 && relayed.moved > 0) || followed?.hasMore === true
  }

  const onError = (error: unknown): void => log.error({ err: error }, 'a round of the ledger loop failed')
  const loop = startLoop(round, { onError, everyMs: pollMs })
  const wake = (heard?: Heard): void => {
    told.hear(heard)
    loop.wake()
  }
  wake()
  return {
    wake,
    async stop() {
      clearTimeout(retry)
      await loop.stop()
    },
  }
}
