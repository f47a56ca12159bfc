/** An empty line tells that the one before was being written when the machine stopped. */
export const AFTER_CUT_OFF = '\n\n'

export interface JournalLine {
  text: string
  /** Counted from 1. */
  number: number
  /** Undefined: the line is no JSON. */
  value: unknown
}

/**
 * Returns the lines of a journal whose lines are JSON each. One that was cut off is left out: nobody was told that it is
 * there. It is the last one, or has an empty line after it.
 */
export function journalLines(journal: string): JournalLine[] {
  const lines = journal.split('\n').slice(0, -1)
  return lines.flatMap((text, index) => {
    if (text === '') return []
    const value = parsed(text)
    return value === undefined && lines[index + 1] === '' ? [] : [{ text, number: index + 1, value }]
  })
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
