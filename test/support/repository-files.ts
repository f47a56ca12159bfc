import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Folders that tools write, and that nobody keeps. */
const NOT_READ = new Set(['node_modules', 'dist', 'lib', 'target', 'reports'])

/** Returns the paths of all files that people write, below a folder of the repository; `''` is the whole of it. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (!entry.isDirectory()) return [path]
    return entry.name.startsWith('.') || NOT_READ.has(entry.name) ? [] : filesBelow(path)
  })
}
