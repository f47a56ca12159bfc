import { expect, it } from 'vitest'
import { failed, isAnyPending, NOT_APPLICABLE, passed, pending, unavailable, worstOf } from './check.js'

it('the worst of several findings of a check counts', () => {
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

it('an answer may change a moment later only where something is on its way to the index', () => {
  expect(isAnyPending({ status: pending('x'), proof: passed() })).toBe(true)
  expect(isAnyPending({ status: unavailable('x'), proof: passed() })).toBe(false)
})

it('a failure stands before anything else, and a pass before what does not apply', () => {
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
