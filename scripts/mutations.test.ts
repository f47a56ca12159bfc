import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

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
