/** Decides the end of an authorisation's validity. The ledger goes by its own clock, which may not be ours. */
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clock.js'

/**
 * The validity: the ledger takes an hour ahead of its own time at most; this is long enough for a slow network and
 * short enough to sign afresh.
 */
const validForMs = 15 * 60_000

export interface Validity {
  /** The ledger's time by our clock, from its time at its newest block. */
  now(time: number): number
  /** @param time the ledger's at its newest block, ms since 1970; old where nothing happened for long */
  until(time: number): number
  /**
   * Learns from an authorisation that came at the wrong time, so that the next one is right: each costs a fee.
   *
   * @param time the ledger's time at the block of the refusal
   */
  learn(error: string, time: number): void
}

export function openValidity(clock: Clock, log: Pick<FastifyBaseLogger, 'warn'>): Validity {
  /** The lead of our clock over the ledger's, as far as it is known. */
  let leadMs = 0
  const now = (time: number) => Math.max(clock() - leadMs, time)
  return {
    now,
    until: (time) => now(time) + validForMs,
    learn(error, time) {
      if (error === 'ValidTooLong') leadMs = clock() - time
      // Our clock was set right, or it lags: the ledger's last time is the better guide.
      else if (error === 'Expired') leadMs = 0
      else return
      log.warn({ error, leadMs }, 'The clock here and the ledger’s differ.')
    },
  }
}
