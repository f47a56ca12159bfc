import { expect, test } from 'vitest'
import { Attempts } from './attempts.js'

const at = (seconds: number) => new Date(seconds * 1000)

test('six tries at once are one too many, before any of them has an answer', () => {
  const attempts = new Attempts()
  for (let i = 0; i < 5; i++) attempts.begin('a', at(0))
  expect(() => attempts.begin('a', at(1))).toThrow(/wrong passwords/)
  attempts.begin('b', at(1))
  attempts.begin('a', at(60))
})

test('a right password does not count', () => {
  const attempts = new Attempts()
  for (let i = 0; i < 50; i++) {
    attempts.begin('a', at(0))
    attempts.succeeded('a')
  }
  for (let i = 0; i < 5; i++) attempts.begin('a', at(0))
  expect(() => attempts.begin('a', at(0))).toThrow(/wrong passwords/)
})

test('the limit of a name ends with its window, to the millisecond', () => {
  const limit = { most: 2, what: 'tries', windowSeconds: 10 }
  const attempts = new Attempts()
  for (let i = 0; i < 2; i++) attempts.begin('a', at(0), limit)
  const refused = { type: 'rate_limited', headers: { 'Retry-After': '1' } }
  expect(() => attempts.begin('a', at(9.999), limit)).toThrow(expect.objectContaining(refused))
  attempts.begin('a', at(10), limit)
})

test('many other names do not wash away a count that is in use', () => {
  const attempts = new Attempts(100)
  for (let i = 0; i < 5; i++) attempts.begin('a', at(0))
  for (let i = 0; i < 1000; i++) {
    attempts.begin(`other ${i}`, at(0))
    expect(() => attempts.begin('a', at(0)), String(i)).toThrow(/wrong passwords/)
  }
})
