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

/** One try after another, each ended when it is told to. */
function tries(attempts: Attempts, limit = { most: 2, what: 'tries', windowSeconds: 10 }) {
  const clock = { seconds: 0, now: () => at(clock.seconds) }
  const begun: string[] = []
  const ends = new Map<string, (isWrong: boolean) => void>()
  const enter = (name: string, ...names: string[]) =>
    attempts
      .enter(
        names.map((one) => [one, limit]),
        clock,
      )
      .then((end) => {
        begun.push(name)
        ends.set(name, end)
      })
  const end = async (name: string, isWrong: boolean) => {
    ends.get(name)?.(isWrong)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { clock, begun, enter, end }
}

test('tries at once wait for those under way, and all have their turn if none is wrong', async () => {
  const { begun, enter, end } = tries(new Attempts())
  const all = ['a', 'b', 'c', 'd'].map((name) => enter(name, 'x'))
  await enter('other', 'y')
  expect(begun).toEqual(['a', 'b', 'other'])
  for (const name of ['a', 'b', 'c', 'd']) await end(name, false)
  await Promise.all(all)
  expect(begun).toEqual(['a', 'b', 'other', 'c', 'd'])
})

test('only as many guesses are made as may be wrong, however many come at once', async () => {
  const { begun, enter, end, clock } = tries(new Attempts())
  const all = ['a', 'b', 'c', 'd'].map((name) => enter(name, 'x'))
  const rest = Promise.allSettled(all.slice(2))
  await all[1]
  await end('a', true)
  expect(begun).toEqual(['a', 'b'])
  await end('b', true)
  expect(await rest).toMatchObject(
    Array(2).fill({ status: 'rejected', reason: { type: 'rate_limited', headers: { 'Retry-After': '10' } } }),
  )
  clock.seconds = 9.999
  await expect(enter('e', 'x')).rejects.toThrow(/Too many tries/)
  clock.seconds = 10
  await enter('e', 'x')
})

test('a try under several names needs room under each, and holds none while it waits', async () => {
  const { begun, enter, end } = tries(new Attempts())
  await enter('a', 'x')
  await enter('b', 'x')
  const both = enter('both', 'y', 'x')
  await enter('c', 'y')
  await enter('d', 'y')
  await end('a', false)
  expect(begun).toEqual(['a', 'b', 'c', 'd'])
  await end('c', false)
  await both
  await end('both', true)
  await end('b', true)
  await expect(enter('e', 'x')).rejects.toThrow(/Too many tries/)
})

test('no more wait than fit', async () => {
  const { enter, end, begun } = tries(new Attempts())
  const names = Array.from({ length: 34 }, (_, n) => `t${n}`)
  const all = names.map((name) => enter(name, 'x'))
  await all[1]
  await expect(enter('one more', 'x')).rejects.toMatchObject({ type: 'rate_limited', headers: { 'Retry-After': '1' } })
  for (const name of names) await end(name, false)
  await Promise.all(all)
  expect(begun).toEqual(names)
})
