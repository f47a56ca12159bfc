import { expect, test } from 'vitest'
import { CompiledSchemas } from './compiled-schemas.js'

test('the schema unused for longest is forgotten first, beyond the limit', () => {
  const kept = new CompiledSchemas<number>({ schemas: 2, bytes: 100 })
  kept.keep('a', 1, 1)
  kept.keep('b', 2, 1)
  expect(kept.get('a')).toBe(1)
  kept.keep('c', 3, 1)
  expect(['a', 'b', 'c'].map((digest) => kept.get(digest))).toEqual([1, undefined, 3])
})

test('or beyond so many bytes, of which each schema counts once', () => {
  const kept = new CompiledSchemas<number>({ schemas: 10, bytes: 100 })
  kept.keep('a', 1, 60)
  kept.keep('a', 1, 60)
  kept.keep('b', 2, 40)
  expect(kept.get('a')).toBe(1)
  kept.keep('c', 3, 1)
  expect(['a', 'b', 'c'].map((digest) => kept.get(digest))).toEqual([1, undefined, 3])
})
