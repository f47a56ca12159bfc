import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
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

/** Reads whole lines: one that is cut off was being written when its machine stopped, and nobody was told of it. */
async function linesOf(file: string): Promise<{ text: string; at: number }[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Refusal(`The journal ${file} cannot be read: ${codeOf(error)}.`)
  })
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return whole
    .split('\n')
    .filter(Boolean)
    .map((line, index) => {
      const at = timeOf(line)
      if (Number.isNaN(at)) throw new Refusal(`Line ${index + 1} of ${file} is no line of a journal of erasures.`)
      return { text: line, at }
    })
}

function timeOf(line: string): number {
  try {
    return Date.parse(JSON.parse(line).at)
  } catch {
    return Number.NaN
  }
}
