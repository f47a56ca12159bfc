import type { Running } from './capability.js'
import type { Heard } from './platform/database/listen.js'

/** The long work of capabilities that has begun, as one. */
export function together(started: readonly Running[]) {
  return {
    channels: started.map(({ channel }) => channel),
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
