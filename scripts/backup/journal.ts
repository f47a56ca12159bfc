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

/**
 * Reads whole lines: one that is cut off was being written when its machine stopped, and nobody was told of it. An empty
 * line after it tells that the service went on from there.
 */
async function linesOf(file: string): Promise<{ text: string; at: number }[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Refusal(`The journal ${file} cannot be read: ${codeOf(error)}.`)
  })
  const lines = text.split('\n').slice(0, -1)
  return lines.flatMap((line, index) => {
    const at = timeOf(line)
    if (line === '' || (at === undefined && lines[index + 1] === '')) return []
    if (!at) throw new Refusal(`Line ${index + 1} of ${file} is no line of a journal of erasures.`)
    return [{ text: line, at }]
  })
}

/** Returns the time of a line, NaN of another object, undefined of what is no JSON. */
function timeOf(line: string): number | undefined {
  try {
    return Date.parse(JSON.parse(line).at)
  } catch {
    return undefined
  }
}
