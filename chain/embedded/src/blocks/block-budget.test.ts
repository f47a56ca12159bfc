import { describe, expect, test } from 'vitest'
import { BlockBudget, MAX_BUILD_MS, MAX_EVENTS } from './block-budget.js'

/** Fills blocks to the budget, with extrinsics of one cost, until the budget settles. */
function settle(eventsPerByte: number, millisecondsPerByte: number): { events: number; milliseconds: number } {
  const budget = new BlockBudget()
  let last = { events: 0, milliseconds: 0 }
  for (let block = 0; block < 12; block += 1) {
    const bytes = budget.bytes
    last = { events: bytes * eventsPerByte, milliseconds: 5 + bytes * millisecondsPerByte }
    if (last.events > MAX_EVENTS) budget.exceeded(bytes)
    else budget.built(bytes, last.events, last.milliseconds)
  }
  return last
}

describe('the budget of a block', () => {
  test('settles under the limit of events, near to it', () => {
    const { events } = settle(1 / 100, 0.001)
    expect(events).toBeLessThanOrEqual(MAX_EVENTS)
    expect(events).toBeGreaterThan(MAX_EVENTS / 2)
  })

  test('settles under the limit of work, near to it', () => {
    const { milliseconds } = settle(1 / 1_000_000, 0.002)
    expect(milliseconds).toBeLessThanOrEqual(MAX_BUILD_MS)
    expect(milliseconds).toBeGreaterThan(MAX_BUILD_MS / 2)
  })

  test('is not moved by blocks that are nearly empty', () => {
    const budget = new BlockBudget()
    const before = budget.bytes
    budget.built(300, 7, 60)
    expect(budget.bytes).toBe(before)
  })
})
