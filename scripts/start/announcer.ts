import { createLog } from '@accredit/process/log'
import type { DestinationStream } from 'pino'

/** Tells the supervisor's own steps. */
export interface Announcer {
  /** `facts` stand in the text for people, and in members of their own for programs. */
  say(text: string, facts?: Record<string, unknown>): void
  /** Why it ends. */
  refuse(sentence: string): void
}

/** Sentences for a user at a terminal; JSON lines, like those of all processes, where the output goes into a log. */
export function announcer(isTerminal = process.stdout.isTTY === true, destination?: DestinationStream): Announcer {
  // The reader of our output may be gone; the service is not.
  process.stdout.on('error', () => undefined)
  if (isTerminal) return { say: (text) => console.log(text), refuse: (sentence) => console.error(sentence) }
  const log = createLog({ name: 'supervisor', base: {} }, destination)
  return {
    say(text, facts) {
      const lines = text.split('\n').filter((line) => line.trim() !== '')
      if (facts) log.info(facts, lines[0] ?? '')
      else for (const line of lines) log.info(line)
    },
    refuse: (sentence) => log.fatal(sentence),
  }
}
