import { expect, test } from 'vitest'
import { ENTRY_LENGTH, RecentlyUsed } from './recently-used.js'

test('holds as much as its limit says, and then forgets what was not used for longest', () => {
  const kept = new RecentlyUsed(4 * ENTRY_LENGTH + 15)
  kept.set('a', '0x00')
  kept.set('b', null)
  kept.set('c', '0x01')
  expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual(['0x00', null, '0x01'])
  kept.get('a')
  kept.set('dddd', null) // fifteen characters in four entries
  expect([kept.get('c'), kept.get('b'), kept.get('a')]).toEqual(['0x01', null, '0x00'])
  kept.set('dddd', '0x') // two more
  expect([kept.get('c'), kept.get('b'), kept.get('a'), kept.get('dddd')]).toEqual([undefined, null, '0x00', '0x'])
})

test('counts entries however short they are', () => {
  const kept = new RecentlyUsed(2 * ENTRY_LENGTH + 3)
  for (const name of ['a', 'b', 'c']) kept.set(name, null)
  expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual([undefined, null, null])
})

test('counts what replaces another once', () => {
  const kept = new RecentlyUsed(2 * ENTRY_LENGTH + 10)
  for (let round = 0; round < 5; round += 1) kept.set('a', '0x00')
  kept.set('b', '0x01')
  expect([kept.get('a'), kept.get('b')]).toEqual(['0x00', '0x01'])
})

test('does not keep what is longer than its limit', () => {
  const kept = new RecentlyUsed(ENTRY_LENGTH + 4)
  kept.set('a', '0x00')
  expect(kept.get('a')).toBeUndefined()
})
