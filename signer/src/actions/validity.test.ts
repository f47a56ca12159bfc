import { expect, test, vi } from 'vitest'
import { openValidity } from './validity.js'

const minutes = (count: number) => count * 60_000
const log = { warn: vi.fn() }

test('an authorisation is good for a quarter of an hour, by the later of our clock and the ledger’s last block', () => {
  let now = minutes(1000)
  const validity = openValidity(() => now, log)
  expect(validity.until(minutes(10))).toBe(minutes(1015))
  expect(validity.until(minutes(1030))).toBe(minutes(1045))
  now = minutes(1031)
  expect(validity.until(minutes(1030))).toBe(minutes(1046))
})

test('a refusal as too long corrects a clock that is ahead, until the ledger says otherwise', () => {
  let now = minutes(1000)
  const validity = openValidity(() => now, log)
  const ledger = minutes(940)
  // Every block with such a refusal tells it, also for authorisations that were signed before the first was known.
  for (let told = 0; told < 3; told++) {
    validity.learn('ValidTooLong', ledger)
    expect(validity.until(0)).toBe(ledger + minutes(15))
  }
  validity.learn('BadNonce', minutes(9999))
  now = minutes(1100)
  expect(validity.until(0)).toBe(ledger + minutes(115))
  validity.learn('Expired', minutes(1100))
  expect(validity.until(0)).toBe(minutes(1115))
})
