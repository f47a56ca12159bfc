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
