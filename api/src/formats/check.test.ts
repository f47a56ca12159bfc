import { expect, it } from 'vitest'
import { failed, isAnyPending, NOT_APPLICABLE, passed, pending, unavailable, worstOf } from './check.js'

it('of several findings the worst of each check counts', () => {
  const good = { structure: passed(), proof: passed(), validity: passed() }
  const worst = worstOf([
    good,
    { ...good, status: passed(), proof: failed('x') },
    { ...good, status: NOT_APPLICABLE, proof: failed('y') },
  ])
  expect(worst.proof).toEqual(failed('x'))
  expect(worst.status).toEqual(passed())
  expect(worst.validity).toEqual(passed())
})

it('only what is on its way to the index may be another answer a moment later', () => {
  expect(isAnyPending({ status: pending('x'), proof: passed() })).toBe(true)
  expect(isAnyPending({ status: unavailable('x'), proof: passed() })).toBe(false)
})

it('what failed stands, whatever comes before or after it, and what passed stands over what does not apply', () => {
  const order = [NOT_APPLICABLE, passed(), failed('x')]
  for (const [low, finding] of order.entries())
    for (const other of order.slice(low)) {
      expect(worstOf([{ proof: finding }, { proof: other }]).proof).toBe(other)
      expect(worstOf([{ proof: other }, { proof: finding }]).proof).toBe(other)
    }
  expect(worstOf([{ proof: failed('x') }, { proof: failed('y') }])).toEqual({ proof: failed('x') })
})

it('a finding tells only what there is to tell', () => {
  expect(failed('x')).toStrictEqual({ passed: false, reason: 'x' })
  expect(failed('x', 'y', { block: 1 })).toStrictEqual({ passed: false, reason: 'x', detail: 'y', block: 1 })
})
