import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * The rooms of a folder from the bottom to the top: its folders, and files that stand beside them. `.` means all files
 * beside them that are not named.
 */
const ORDERS: Record<string, readonly string[]> = {
  'chain/embedded/src': ['store', 'executor', 'runtime', 'chain', 'blocks', 'rpc', '.', 'weights', 'bench'],
  'signer/src': [
    'clock',
    'randomness',
    'errors',
    'capabilities',
    'wire',
    'wire-dry-run',
    'database',
    'audit',
    'keys',
    'actions',
    'server',
    '.',
  ],
  'api/src/platform': ['.', 'process', 'database', 'security', 'http', 'sweeps'],
  'api/src/ecosystems': [
    ...['tables', 'events', 'read-point', 'call-budget', 'job-kinds', 'rights', 'names', 'expected-changes'],
    ...['registry-calls', 'registry-job', 'wait-until-indexed'],
    ...['registries', 'pending', 'prices', 'participants', 'schemas', 'delegates', 'invitations', 'bulk', '.'],
  ],
}

const isForTests = (file: string): boolean => /[./]test(?:ing)?\.ts$|\/testing\//.test(`/${file}`)

describe.each(Object.entries(ORDERS))('%s', (folder, order) => {
  const here = join(root, folder)
  const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !isForTests(name),
  )

  function roomOf(file: string): string {
    const [room = ''] = file.replace(/\.[jt]s$/, '').split(sep)
    return file.includes(sep) || order.includes(room) ? room : '.'
  }

  const importsOf = (file: string): string[] =>
    [...readFileSync(join(here, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
      .map(([, path = '']) => relative(here, join(here, file, '..', path)))
      .filter((path) => !path.startsWith('..'))

  test('every room has a place in the order', () => {
    expect([...new Set(files.map(roomOf))].sort()).toEqual([...order].sort())
  })

  test('a room imports from itself and from rooms below it only', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((path) => order.indexOf(roomOf(path)) > order.indexOf(roomOf(file)))
        .map((path) => `${file} imports ${path}`),
    )
    expect(wrong).toEqual([])
  })
})
