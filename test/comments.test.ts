import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, root } from './support/repository-files.js'

const QUESTION = /(?:\/\/[/!]?|\/\*\*?|^\s*\*|--|^\s*"{1,3})\s*(?:What|Who|Whose|Where|How|Which)(?:ever)?\s/
const TEST_NAME = /\b(?:test|it|describe)\(\s*['"`](?:what|who|whose|where|how|which)(?:ever)?\s/

/** Installations compare the text of a migration with the one that they ran: it stays. */
const RELEASED = /^api\/migrations\//

const sources = filesBelow('').filter((file) => /\.(?:m?ts|mjs|sql|graphql|rs)$/.test(file) && !RELEASED.test(file))

const found = (pattern: RegExp): string[] =>
  sources.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
  )

test('a comment begins with its subject, not with a question word', () => {
  expect(sources.length).toBeGreaterThan(500)
  for (const begin of ['/** ', '  // ', '/// ', '//! ', ' * ', '-- ', '"'])
    expect(QUESTION.test(`${begin}What it is`), begin).toBe(true)
  expect(found(QUESTION)).toEqual([])
})

test('the name of a test begins with its subject too', () => {
  for (const quote of [`'`, '"', '`']) expect(TEST_NAME.test(`it(${quote}what is due runs`), quote).toBe(true)
  expect(found(TEST_NAME)).toEqual([])
})
