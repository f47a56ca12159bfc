import { expect, test } from 'vitest'
import { Overlay } from '../executor/overlay.js'
import type { Hex } from '../store/store.js'
import { CountedState } from './counted-state.js'

const value = Uint8Array.of(1)

function stateOf(...keys: Hex[]): CountedState {
  const state = new CountedState()
  const overlay = new Overlay(state)
  for (const key of keys) overlay.set(key, value)
  state.take(overlay)
  state.beginToCount()
  return state
}

test('an entry counts once however often it is read or written, and what a run wrote itself is not read', () => {
  const state = stateOf('0x01', '0x02')
  const overlay = new Overlay(state)
  overlay.get('0x01')
  overlay.get('0x01')
  overlay.get('0x09')
  overlay.set('0x03', value)
  overlay.set('0x03', null)
  overlay.get('0x03')
  state.take(overlay)
  expect([state.reads, state.writes]).toEqual([2, 1])
})

test('a key that a walk comes to is read', () => {
  const state = stateOf('0x01', '0x02', '0x03')
  const overlay = new Overlay(state)
  expect(overlay.nextKey('0x01')).toBe('0x02')
  expect(overlay.nextKey('0x02')).toBe('0x03')
  expect(overlay.nextKey('0x03')).toBeUndefined()
  expect(state.reads).toBe(2)
})

test('a write rolled back, and a key touched by every block, are not counted', () => {
  const state = stateOf('0x01')
  state.doNotCount(['0x01'])
  const overlay = new Overlay(state)
  overlay.get('0x01')
  overlay.set('0x01', null)
  overlay.begin()
  overlay.set('0x02', value)
  overlay.rollBack()
  state.take(overlay)
  expect([state.reads, state.writes]).toEqual([0, 0])
  expect(state.get('0x01')).toBeUndefined()
})
