import { readdirSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The most files of a folder whose subject a person sees at a glance. */
const MOST_SOURCES = 25

const SOURCE = /\.(ts|tsx|js|mjs|cjs|rs)$/
const TEST = /\.test\.(ts|mjs)$/
/** The folders of generated files, and of tests alone. */
const NOT_COUNTED = new Set(['node_modules', 'dist', 'lib', 'target', 'generated', 'test', 'tests'])
/** The folders with a list of one kind: a reader who knows one file of such a list knows all of them. */
const LISTS_OF_ONE_KIND = ['indexer/src/events']

function sourcesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name.startsWith('.') || NOT_COUNTED.has(entry.name) ? [] : sourcesBelow(path)
    return SOURCE.test(entry.name) && !TEST.test(entry.name) ? [path] : []
  })
}

const counts = new Map<string, number>()
for (const file of sourcesBelow('.')) {
  const folder = relative('.', dirname(file)).split(sep).join('/')
  counts.set(folder, (counts.get(folder) ?? 0) + 1)
}

test('no folder of any workspace or crate has more source files of different kinds than a person overlooks', () => {
  expect(counts.get('chain/embedded/src/executor')).toBeGreaterThan(5)
  expect(counts.get('chain/pallets/did/src')).toBeGreaterThan(5)
  const crowded = [...counts].filter(([folder, count]) => count > MOST_SOURCES && !LISTS_OF_ONE_KIND.includes(folder))
  expect(Object.fromEntries(crowded)).toEqual({})
})

test('a list of one kind is excepted only where there is one', () => {
  expect(LISTS_OF_ONE_KIND.filter((folder) => (counts.get(folder) ?? 0) <= MOST_SOURCES)).toEqual([])
})
