import { expect, test } from 'vitest'
import { RecentlyUsed } from './recently-used.js'

test('holds as much as its limit says, and then forgets what was not used for longest', () => {
  const kept = new RecentlyUsed(15)
  kept.set('a', '0x00')
  kept.set('b', null)
  kept.set('c', '0x01')
  expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual(['0x00', null, '0x01'])
  kept.get('a')
  kept.set('dddd', null) // fifteen characters
  expect([kept.get('b'), kept.get('a')]).toEqual([null, '0x00'])
  kept.set('e', null) // one more
  expect([kept.get('c'), kept.get('b'), kept.get('a'), kept.get('e')]).toEqual([undefined, null, '0x00', null])
})

test('counts what replaces another once', () => {
  const kept = new RecentlyUsed(10)
  for (let round = 0; round < 5; round += 1) kept.set('a', '0x00')
  kept.set('b', '0x01')
  expect([kept.get('a'), kept.get('b')]).toEqual(['0x00', '0x01'])
})

test('does not keep what is longer than its limit', () => {
  const kept = new RecentlyUsed(4)
  kept.set('a', '0x00')
  expect(kept.get('a')).toBeUndefined()
})
