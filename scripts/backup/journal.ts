import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { journalLines } from '@accredit/process/journal-lines'
import { runToEnd } from '../start/processes/run-to-end.js'
import { codeOf, Refusal } from '../start/refusal.js'
import { writePrivately } from '../start/state/settings.js'

/** Adds the lines of a journal of erasures that was kept elsewhere to the one of the place that a copy is restored into. */
export async function addJournal(projectRoot: string, from: string, to: string): Promise<void> {
  const lines = [...(existsSync(to) ? await linesOf(to) : []), ...(await linesOf(from))]
  await countLines(projectRoot, [from, to])
  const unique = new Map<string, (typeof lines)[number]>()
  for (const line of lines) if (!unique.has(line.text)) unique.set(line.text, line)
  // The last line of a key counts.
  const ordered = [...unique.values()].sort((a, b) => a.notBefore - b.notBefore)
  // A link to a journal stays one.
  await writePrivately(existsSync(to) ? await realpath(to) : to, ordered.map(({ text }) => `${text}\n`).join(''))
}

/** Returns the lines in their order, which is that of their commits: the clocks of two hosts may tell another one. */
async function linesOf(file: string): Promise<{ text: string; notBefore: number }[]> {
  const journal = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Refusal(`The journal ${file} cannot be read: ${codeOf(error)}.`)
  })
  let notBefore = Number.NEGATIVE_INFINITY
  return journalLines(journal).map(({ text, value }) => {
    notBefore = Math.max(notBefore, Date.parse(Object(value).at))
    return { text, notBefore }
  })
}

/**
 * Returns how many lines the worker reads in journals; in one that is not there, none.
 *
 * @throws Refusal with what it would stop at
 */
export async function countLines(projectRoot: string, files: string[]): Promise<number> {
  const { lines, fault } = await runToEnd({ projectRoot }, 'api/dist/check-journal.js', files, {})
  if (typeof lines !== 'number') throw new Refusal(String(fault))
  return lines
}
