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
 * there. It is the last one, or has an empty line after it, or, where another was being added at that moment, the whole
 * line of that one.
 */
export function journalLines(journal: string): JournalLine[] {
  const lines = journal.split('\n').slice(0, -1)
  return lines.flatMap((whole, index) => {
    if (whole === '') return []
    const found = { text: whole, number: index + 1, value: parsed(whole) }
    if (found.value !== undefined) return [found]
    const text = afterCutOff(whole)
    const before = whole.slice(0, whole.length - text.length)
    // A line that is whole but for its end was damaged, and not cut off.
    const isDamaged = parsed(before.slice(0, -1)) !== undefined
    const value = isDamaged ? undefined : parsed(text)
    return value === undefined && !isDamaged && lines[index + 1] === '' ? [] : [{ ...found, text, value }]
  })
}

/** The beginning of each line, and of nothing in one. */
const BEGINNING = '{"id":'

/** Returns what follows the beginning of a line that was cut off; the whole text where there is no other line in it. */
const afterCutOff = (text: string): string =>
  text.startsWith('{') ? text.slice(Math.max(text.lastIndexOf(BEGINNING), 0)) : text

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
