import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PARTS } from './mutate/parts.mjs'

const root = join(import.meta.dirname, '..')
const { tests, faults } = JSON.parse(readFileSync(join(root, 'scripts/mutate/sql-faults.json'), 'utf8'))

test('every fault of the list can be made: its text stands once in its file, and its tests are there', () => {
  expect(faults.length).toBeGreaterThanOrEqual(40)
  for (const { file, before, after, tests: name } of faults) {
    expect(readFileSync(join(root, file), 'utf8').split(before), `${file}: ${before}`).toHaveLength(2)
    expect(after).not.toBe(before)
    for (const path of tests[name]) expect(existsSync(join(root, path)), path).toBe(true)
  }
})

/** `a/{b,c}.ts`: `a/b.ts`, `a/c.ts` */
function alternatives(pattern: string): string[] {
  const [, before = '', inside = '', after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(pattern) ?? []
  return inside === '' ? [pattern] : inside.split(',').flatMap((one) => alternatives(before + one + after))
}

/** Tells whether a path with `*` or `**` in it is that of a file. */
function isThere(path: string): boolean {
  const [fixed = ''] = path.split(/[^/]*\*/)
  if (fixed === path) return existsSync(join(root, path))
  const pattern = path
    .slice(fixed.length)
    .split('**/')
    .map((part) => part.replaceAll('.', '\\.').replaceAll('*', '[^/]*'))
    .join('(.*/)?')
  const files = readdirSync(join(root, fixed), { recursive: true, encoding: 'utf8' })
  return files.some((file) => new RegExp(`^${pattern}$`).test(file))
}

test('every alternative of every pattern of every part is a file', () => {
  expect(alternatives('a/{b,c}/{d,e}.ts')).toEqual(['a/b/d.ts', 'a/b/e.ts', 'a/c/d.ts', 'a/c/e.ts'])
  expect(['scripts/*.none.ts', 'scripts/**/parts.mjs', 'scripts/mutations*.ts'].map(isThere)).toEqual([
    false,
    true,
    true,
  ])
  for (const [part, { mutate, tests }] of Object.entries(PARTS)) {
    const missing = [...mutate, ...tests].flatMap(alternatives).filter((path) => !isThere(path))
    expect(missing, part).toEqual([])
  }
})
