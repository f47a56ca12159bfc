import { type Loop, startLoop } from '@accredit/process/loop'
import type { Logger } from 'pino'
import type { ContextServices } from '../../platform/http/context.js'
import { type FollowerServices, followLedger } from './follower.js'
import { collectOutcomes } from './outcomes.js'
import { type RelayServices, relayActions } from './relay.js'

interface LedgerLoopOptions {
  /** The time between two rounds without a hint. */
  pollMs: number
  /** Called after a round in which actions came to their end. */
  onSettled: () => void
  log: Logger
}

/**
 * Starts the loop. A round relays the outbox to the signer, collects outcomes, and ends jobs. Hints wake it; every
 * `pollMs` it runs by itself.
 */
export function startLedgerLoop(
  services: RelayServices & FollowerServices & Pick<ContextServices, 'signer'>,
  { pollMs, onSettled, log }: LedgerLoopOptions,
): Loop {
  // A step that fails (no signer, no index yet) must not stop the others; the next round tries again.
  const attempt = <T>(step: string, work: Promise<T>): Promise<T | undefined> =>
    work.catch((error: unknown) => {
      log.error({ err: error, step }, 'a step of the ledger loop failed')
      return undefined
    })

  async function round(): Promise<boolean> {
    const relayed = await attempt('relay', relayActions(services))
    const ended = await attempt('outcomes', collectOutcomes(services))
    const followed = await attempt('follow', followLedger(services))
    if (followed && followed.ended > 0) onSettled()
    // Actions that were left find room after a full batch, or where others ended.
    const findsRoom = relayed !== undefined && relayed.left > 0 && (relayed.moved > 0 || (ended ?? 0) > 0)
    return findsRoom || followed?.hasMore === true
  }

  const onError = (error: unknown): void => log.error({ err: error }, 'a round of the ledger loop failed')
  const loop = startLoop(round, { onError, everyMs: pollMs })
  loop.wake()
  return loop
}
