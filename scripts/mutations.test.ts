import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXCLUDED_MUTATIONS, PARTS } from './mutate/parts.mjs'
import { alternatives, draw, lotOf, mutantsOf, resultsOf, strykerPlugins } from './mutate/sample.mjs'

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

function never(): never {
  throw new TypeError('there is one plugin')
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

const mutant = (line: number, more: object = {}) => ({
  id: String(line),
  fileName: join(root, 'a.ts'),
  location: { start: { line, column: 0 }, end: { line, column: 9 } },
  mutatorName: 'ConditionalExpression',
  replacement: 'true',
  ...more,
})

test('the mutants of a part are those that Stryker would try', async () => {
  const mutants = await mutantsOf('fetch')
  const [file] = PARTS.fetch?.mutate ?? []
  expect(mutants.length).toBeGreaterThan(100)
  for (const { fileName, part, mutatorName } of mutants) {
    expect([fileName, part]).toEqual([join(root, file ?? ''), 'fetch'])
    expect(EXCLUDED_MUTATIONS).not.toContain(mutatorName)
  }
  expect(new Set(mutants.map((one) => lotOf(one, '1'))).size).toBe(mutants.length)
})

test('a seed draws the same mutants again, a larger sample has those of a smaller, and another seed draws others', () => {
  const mutants = Array.from({ length: 500 }, (_, line) => mutant(line))
  const linesOf = (count: number, seed: string) =>
    draw(mutants, count, seed).drawn.map(({ location }) => location.start.line)
  expect(linesOf(100, '1')).toEqual(linesOf(200, '1').slice(0, 100))
  expect(linesOf(100, '2')).not.toEqual(linesOf(100, '1'))
  // A draw from one end would have no mutant of the other half.
  const halves = linesOf(200, '1').filter((line) => line < 250).length
  expect(halves).toBeGreaterThan(70)
  expect(halves).toBeLessThan(130)
  expect(linesOf(1000, '1')).toHaveLength(500)
  expect(draw([], 5, '1')).toEqual({ drawn: [], limit: '' })
})

test('mutants that differ in one thing have lots of their own', () => {
  const others = [{ fileName: join(root, 'b.ts') }, { mutatorName: 'Other' }, { replacement: 'false' }]
  const lots = [mutant(1), mutant(2), ...others.map((more) => mutant(1, more))].map((one) => lotOf(one, '1'))
  expect(new Set(lots).size).toBe(5)
})

test('Stryker tries what was drawn, and nothing else', async () => {
  const mutants = Array.from({ length: 50 }, (_, line) => mutant(line))
  const { drawn, limit } = draw(mutants, 10, '7')
  const [{ injectableClass: DrawnOnly } = never()] = strykerPlugins
  const checker = new DrawnOnly({ seed: '7', limit })
  expect(await checker.group(mutants)).toEqual([mutants.map(({ id }) => id)])
  const checked = await checker.check(mutants)
  const passed = mutants.filter(({ id }) => checked[id]?.status === 'passed')
  expect(passed.map(({ id }) => id).sort()).toEqual(drawn.map(({ id }) => id).sort())
  expect(Object.values(checked).filter(({ status }) => status === 'compileError')).toHaveLength(40)
})

test('a score counts what was tried, and each mutant that no assertion noticed is named', () => {
  const statuses = ['Killed', 'Killed', 'Survived', 'NoCoverage', 'Timeout', 'CompileError', 'Ignored', 'RuntimeError']
  const mutants = statuses.map((status, line) => ({ ...mutant(line + 1), status }))
  expect(resultsOf({ files: { 'a.ts': { mutants } } })).toEqual({
    tried: 5,
    noticed: 3,
    lines: [
      'Survived a.ts:3:0-3:9 ConditionalExpression: true',
      'NoCoverage a.ts:4:0-4:9 ConditionalExpression: true',
      'Timeout a.ts:5:0-5:9 ConditionalExpression: true',
    ],
  })
})
