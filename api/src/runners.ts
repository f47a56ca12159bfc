import type { Runner } from './capability.js'
import type { Heard } from './ledger/write/listen.js'
import type { Environment } from './platform/http/context.js'

/** Starts the long work of capabilities. */
export function startRunners(environment: Environment, runners: readonly Runner[]) {
  const started = runners.map((start) => start(environment))
  return {
    channels: started.map(({ channel }) => channel),
    /** Resolves when all are ready, however long that takes. */
    ready: Promise.all(started.map(({ ready }) => ready)).then(() => undefined),
    /**
     * Wakes those whose channel it was.
     * @returns whether that was all: without a channel anything may have been missed
     */
    wake(heard: Heard): boolean {
      const meant = started.filter(({ channel }) => heard === undefined || heard.channel === channel)
      for (const { loop } of meant) loop.wake()
      return heard !== undefined && meant.length > 0
    },
    async stop(): Promise<void> {
      await Promise.all(started.map(({ loop }) => loop.stop()))
    },
  }
}
