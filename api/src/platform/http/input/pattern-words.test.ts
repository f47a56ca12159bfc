import { expect, test } from 'vitest'
import { allServed } from '../../testing/all-served.js'
import { wordsOfPattern } from './pattern-words.js'

/** Every pattern inside a schema, however deep. */
function patternsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = 'type' in schema && schema.type === 'string' && 'pattern' in schema ? [String(schema.pattern)] : []
  return [...own, ...Object.values(schema).flatMap(patternsIn)]
}

test('every pattern that a request must match has words', () => {
  const operations = allServed.flatMap(({ operations }) => operations)
  const patterns = operations.flatMap(({ body, querystring, params }) => patternsIn([body, querystring, params]))
  expect(patterns.length).toBeGreaterThan(10)
  expect(patterns.filter((pattern) => wordsOfPattern(pattern) === undefined)).toEqual([])
})
