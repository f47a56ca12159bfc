import { expect, test } from 'vitest'
import { answerText } from './answer-text.js'

test('writing an answer stops where it becomes too long', () => {
  let written = 0
  const value = {
    toJSON() {
      written += 1
      return 'x'.repeat(100)
    },
  }
  const times = (count: number) => Array.from({ length: count }, () => value)
  expect(() => answerText(times(1000), 1000)).toThrow('The answer is longer than 1000 bytes: ask for less at once')
  expect(written).toBe(10)
})

test('names count too, and places in lists do not', () => {
  let written = 0
  const value = {
    toJSON() {
      written += 1
      return 1
    },
  }
  const named = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${'x'.repeat(96)}${1000 + i}`, value]))
  expect(() => answerText(named, 1000)).toThrow(/longer/)
  expect(written).toBe(10)
  const list = Array.from({ length: 1000 }, () => 1)
  expect(answerText(list, 2001)).toBe(JSON.stringify(list))
})

test('an answer may be as long as is allowed, to the byte, in whatever script', () => {
  const answer = { data: { names: ['é', '東京', '\n', null, 1.5, { deep: [[]] }] } }
  const bytes = Buffer.byteLength(JSON.stringify(answer))
  expect(answerText(answer, bytes)).toBe(JSON.stringify(answer))
  expect(() => answerText(answer, bytes - 1)).toThrow(/longer/)
})
