import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './repository-files.js'

/** Returns the settings in a file of those that operators put into .env. */
export async function settingsIn(file: string): Promise<Record<string, string>> {
  const lines = (await readFile(join(root, file), 'utf8')).split('\n').filter((line) => /^[A-Z]/.test(line))
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)))
}
