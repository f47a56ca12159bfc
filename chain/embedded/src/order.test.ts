import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('.', import.meta.url))

/** The folders from the bottom to the top; `.` stands for the files beside this one. */
const ORDER = ['store', 'executor', 'runtime', 'chain', 'blocks', 'rpc', '.', 'weights', 'bench']

const roomOf = (file: string): string => (file.includes(sep) ? (file.split(sep)[0] ?? '') : '.')
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && roomOf(name) !== 'testing',
)

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path = '']) =>
    relative(root, join(root, file, '..', path)),
  )
}

test('every room has a place in the order', () => {
  expect([...new Set(files.map(roomOf))].sort()).toEqual([...ORDER].sort())
})

test('a room imports from itself and from rooms below it only', () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((path) => ORDER.indexOf(roomOf(path)) > ORDER.indexOf(roomOf(file)))
      .map((path) => `${file} imports ${path}`),
  )
  expect(wrong).toEqual([])
})
