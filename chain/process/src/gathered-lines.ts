import { type DestinationStream, pino } from 'pino'

/** Lines wait this long at most. */
const GATHERED_MS = 50
const MOST_CHARACTERS = 16_384
const WARNING = pino.levels.values.warn ?? 0

/** A destination to which pino tells the level of each line before it writes it. */
export interface GatheredLines extends DestinationStream {
  lastLevel: number
  flush(): void
}

/**
 * Writes the lines of a moment together: a write costs more than making a line. Nothing of weight waits: a warning or
 * an error is written at once, with all that came before it.
 */
export function gathered(destination: DestinationStream): GatheredLines {
  let waiting = ''
  let timer: NodeJS.Timeout | undefined
  const lines = {
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string): void {
      waiting += line
      if (lines.lastLevel >= WARNING || waiting.length >= MOST_CHARACTERS) lines.flush()
      else timer ??= setTimeout(lines.flush, GATHERED_MS).unref()
    },
    flush(): void {
      clearTimeout(timer)
      timer = undefined
      if (waiting === '') return
      const text = waiting
      waiting = ''
      destination.write(text)
    },
  }
  return lines
}
