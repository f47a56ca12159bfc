import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, root } from './support/repository-files.js'

const QUESTION = /(?:\/\/|\/\*\*?|^\s*\*|--|^\s*"{1,3})\s*(?:What|Who|Whose|Where|How|Which)(?:ever)?\s/
const TEST_NAME = /\b(?:test|it|describe)\(\s*['"`](?:what|who|whose|where|how|which)(?:ever)?\s/

/** Installations compare the text of a migration with the one that they ran: it stays. */
const RELEASED = /^api\/migrations\//

const sources = filesBelow('').filter((file) => /\.(?:m?ts|mjs|sql|graphql)$/.test(file) && !RELEASED.test(file))

const found = (pattern: RegExp): string[] =>
  sources.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
  )

test('a comment begins with its subject, not with a question word', () => {
  expect(sources.length).toBeGreaterThan(500)
  for (const line of [
    '/** What final means. */',
    '  // Who asks.',
    ' * Where it stands',
    '-- Which of them',
    '"How long."',
  ])
    expect(QUESTION.test(line), line).toBe(true)
  expect(found(QUESTION)).toEqual([])
})

test('the name of a test begins with its subject too', () => {
  expect(TEST_NAME.test("test('what is due runs', () => {")).toBe(true)
  expect(found(TEST_NAME)).toEqual([])
})
