import { expect, test } from 'vitest'
import { entityTag, isMatch } from './entity-tag.js'

const tag = entityTag({ name: 'A' })

test('a tag is a quoted text, the same for the same answer and another one for any other', () => {
  expect(tag).toMatch(/^"[\w-]{27}"$/)
  expect(entityTag({ name: 'A' })).toBe(tag)
  expect(entityTag({ name: 'a' })).not.toBe(tag)
})

test.each([
  [tag, true],
  ['*', true],
  [`"other", ${tag}`, true],
  [`W/${tag}`, false],
  ['"other"', false],
  [tag.slice(1, -1), false],
  ['', false],
])('If-Match: %s matches: %s', (ifMatch, expected) => {
  expect(isMatch(ifMatch, tag)).toBe(expected)
})
