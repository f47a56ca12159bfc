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
