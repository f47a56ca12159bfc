import type { Logger } from 'pino'
import type { ContextServices } from '../../platform/http/context.js'
import { type FollowerServices, followLedger } from './follower.js'
import { collectOutcomes } from './outcomes.js'
import { type RelayServices, relayActions } from './relay.js'

export interface LedgerLoop {
  /** Runs a round soon; a round that is running is followed by another. */
  wake(): void
  /** Ends after the round that is running. */
  close(): Promise<void>
}

export interface LoopOptions {
  /** The time between two rounds without a hint. */
  pollMs: number
  /** Called after a round in which actions came to their end. */
  onSettled: () => void
  log: Logger
}

/** A round: outbox to signer, outcomes back, jobs ended. Woken by hints; every `pollMs` it looks by itself. */
export function startLedgerLoop(
  services: RelayServices & FollowerServices & Pick<ContextServices, 'signer'>,
  { pollMs, onSettled, log }: LoopOptions,
): LedgerLoop {
  let isClosed = false
  let isWanted = false
  let running: Promise<void> | undefined

  // A step that fails (no signer, no index yet) must not stop the others; the poll tries again.
  const attempt = <T>(step: string, work: Promise<T>): Promise<T | undefined> =>
    work.catch((error: unknown) => {
      log.error({ err: error, step }, 'a step of the ledger loop failed')
      return undefined
    })

  async function rounds(): Promise<void> {
    while (isWanted && !isClosed) {
      isWanted = false
      const relayed = await attempt('relay', relayActions(services))
      const ended = await attempt('outcomes', collectOutcomes(services))
      const followed = await attempt('follow', followLedger(services))
      // Actions that were left find room after a full batch, or where others ended.
      if (relayed && relayed.left > 0 && (relayed.moved > 0 || (ended ?? 0) > 0)) isWanted = true
      if (followed?.hasMore) isWanted = true
      if (followed && followed.settled > 0) onSettled()
    }
  }

  const wake = (): void => {
    isWanted = true
    if (running || isClosed) return
    running = rounds().finally(() => {
      running = undefined
      if (isWanted) wake()
    })
  }

  const timer = setInterval(wake, pollMs)
  wake()
  return {
    wake,
    async close() {
      isClosed = true
      clearInterval(timer)
      await running
    },
  }
}
