import { expect, test } from 'vitest'
import { entityTag, isKnown, isMatch } from './entity-tag.js'

const tag = entityTag({ name: 'A' })

test('a tag is a quoted text, the same for the same answer and another one for any other', () => {
  expect(tag).toMatch(/^"[\w-]{27}"$/)
  expect(entityTag({ name: 'A' })).toBe(tag)
  expect(entityTag({ name: 'a' })).not.toBe(tag)
})

test.each([
  [tag, true, true],
  ['*', true, true],
  [' * ', true, true],
  [`"other", ${tag}`, true, true],
  [`,"a,b",,${tag} ,`, true, true],
  [`W/${tag}`, false, true],
  [`"*", W/"x", W/${tag}`, false, true],
  ['"other"', false, false],
  ['""', false, false],
])('%s: If-Match holds %s, If-None-Match knows it %s', (named, matches, known) => {
  expect([isMatch(named, tag), isKnown(named, tag)]).toEqual([matches, known])
})

test.each([
  '"nope", *',
  `*, ${tag}`,
  '*,*',
  '',
  ',',
  tag.slice(1, -1),
  `w/${tag}`,
  '"a"b"',
  `${tag} ${tag}`,
  '"a b"',
  '"a',
])('%s is no condition', (named) => {
  for (const check of [isMatch, isKnown]) expect(() => check(named, tag)).toThrow('entity tags in quotes')
})

test('an answer without a tag is matched by * alone', () => {
  for (const check of [isMatch, isKnown]) expect([check('*', undefined), check(tag, undefined)]).toEqual([true, false])
})

test('a list that ends badly after many commas takes no longer than a good one', { timeout: 10_000 }, () => {
  expect(() => isMatch(`"a"${', '.repeat(5_000)}x`, tag)).toThrow('entity tags in quotes')
  expect(isMatch(`"a"${', '.repeat(5_000)}${tag}`, tag)).toBe(true)
})
