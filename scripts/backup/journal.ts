import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { journalLines } from '@accredit/process/journal-lines'
import { codeOf, Refusal } from '../start/refusal.js'
import { writePrivately } from '../start/state/settings.js'

/** Adds the lines of a journal of erasures that was kept elsewhere to the one of the place that a copy is restored into. */
export async function addJournal(from: string, to: string): Promise<void> {
  const lines = [...(existsSync(to) ? await linesOf(to) : []), ...(await linesOf(from))]
  const unique = new Map(lines.map((line) => [line.text, line]))
  // The last line of a key counts.
  const ordered = [...unique.values()].sort((a, b) => a.at - b.at)
  await writePrivately(to, ordered.map(({ text }) => `${text}\n`).join(''))
}

/** @throws Refusal where the file cannot be read, or a whole line is none of a journal */
export async function linesOf(file: string): Promise<{ text: string; at: number }[]> {
  const journal = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Refusal(`The journal ${file} cannot be read: ${codeOf(error)}.`)
  })
  return journalLines(journal).map(({ text, number, value }) => {
    const at = Date.parse(Object(value).at)
    if (!at) throw new Refusal(`Line ${number} of ${file} is no line of a journal of erasures.`)
    return { text, at }
  })
}
