import { expect, test } from 'vitest'
import { FairQueue } from './fair-queue.js'

const BOUNDS = { running: 4, runningPerKey: 2, waiting: 100, waitingPerCaller: 50 }

/** Records callers by name, in the order in which they got their places. */
function callers(queue: FairQueue) {
  const begun: string[] = []
  const held = new Map<string, () => void>()
  const enter = (name: string, keys: [string, ...string[]], weight = 1) =>
    queue.enter(keys, { weight }).then((leave) => {
      begun.push(name)
      held.set(name, leave)
    })
  /** Gives a place back, and lets everything happen that follows. */
  const leave = async (name: string) => {
    held.get(name)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { begun, enter, leave }
}

test('a caller with a hundred requests has no more than its share in work, and another one begins at once', async () => {
  const { begun, enter } = callers(new FairQueue({ ...BOUNDS, waitingPerCaller: 100 }))
  for (let n = 0; n < 100; n++) void enter(`a${n}`, ['a'])
  await enter('b', ['b'])
  expect(begun).toEqual(['a0', 'a1', 'b'])
})

test('callers that wait take turns, however many requests each has', async () => {
  const { begun, enter, leave } = callers(new FairQueue({ ...BOUNDS, running: 1 }))
  for (const name of ['a0', 'a1', 'a2', 'a3', 'b0', 'c0']) void enter(name, [name.charAt(0)])
  await leave('none')
  for (let turn = 0; turn < 6; turn++) await leave(begun.at(-1) ?? '')
  expect(begun).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'a3'])
})

test('while others are there a long line costs its caller places, and alone it has them all', async () => {
  const queue = new FairQueue({ running: 8, runningPerKey: 4, waiting: 100, waitingPerCaller: 50 })
  const { begun, enter, leave } = callers(queue)
  for (let n = 0; n < 40; n++) void enter(`a${n}`, ['a'])
  await leave('none')
  expect(begun).toEqual(['a0', 'a1', 'a2', 'a3'])
  await leave('a0')
  expect(begun.at(-1)).toBe('a4')
  await enter('b0', ['b'])
  // There are 35 waiting requests: three of the caller's four places are lost as they get free.
  for (const name of ['a1', 'a2', 'a3']) await leave(name)
  expect(begun.slice(5)).toEqual(['b0'])
  await leave('a4')
  expect(begun.slice(5)).toEqual(['b0', 'a5'])
})

test('a team has one share, from however many addresses it comes', async () => {
  const { begun, enter, leave } = callers(new FairQueue(BOUNDS))
  for (let n = 0; n < 20; n++) void enter(`a${n}`, [`address ${n}`, 'team'])
  void enter('b', ['address', 'another team'])
  await leave('none')
  expect(begun).toEqual(['a0', 'a1', 'b'])
  await leave('a0')
  expect(begun).toEqual(['a0', 'a1', 'b', 'a2'])
})

test('heavy work takes as many places as it weighs, at most all of its caller, and has its turn among light work', async () => {
  const { begun, enter, leave } = callers(new FairQueue(BOUNDS))
  void enter('light', ['a', 'team'])
  void enter('heavy', ['b', 'team'], 1000)
  void enter('later', ['c', 'team'])
  await leave('none')
  expect(begun).toEqual(['light'])
  await leave('light')
  expect(begun).toEqual(['light', 'heavy'])
  await leave('heavy')
  expect(begun).toEqual(['light', 'heavy', 'later'])
})

test('past what may wait a caller is refused with 429 and everybody with 503, both with Retry-After', async () => {
  const { enter } = callers(new FairQueue({ running: 1, runningPerKey: 1, waiting: 3, waitingPerCaller: 2 }))
  const [, , last] = ['a0', 'a1', 'a2'].map((name) => enter(name, ['a']))
  await expect(enter('a3', ['a'])).rejects.toMatchObject({ status: 429, headers: { 'Retry-After': '1' } })
  void enter('b0', ['b'])
  const refused = expect(last).rejects.toMatchObject({ status: 503 })
  void enter('c0', ['c'])
  await refused
  await expect(enter('d0', ['d'])).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } })
})

test('when all room is taken the longest line makes some for a shorter one, and none for one as long', async () => {
  const { enter } = callers(new FairQueue({ running: 1, runningPerKey: 1, waiting: 4 }))
  const [, , , last] = ['a0', 'a1', 'a2', 'a3'].map((name) => enter(name, ['a']))
  void enter('b0', ['b'])
  const refused = expect(last).rejects.toMatchObject({ status: 503 })
  void enter('b1', ['b'])
  await refused
  await expect(enter('b2', ['b'])).rejects.toMatchObject({ status: 503 })
  await expect(enter('a4', ['a'])).rejects.toMatchObject({ status: 503 })
})

test('a caller that went away while it waited takes no place', async () => {
  const queue = new FairQueue({ ...BOUNDS, running: 1 })
  const leave = await queue.enter(['a'])
  let stop = () => {}
  const gone = queue.enter(['b'], {
    onGone: (way) => {
      stop = way
    },
  })
  stop()
  await expect(gone).rejects.toThrow('went away')
  leave()
  await queue.enter(['c'])
})

test('a place that is given back twice is one place', async () => {
  const { begun, enter, leave } = callers(new FairQueue({ ...BOUNDS, running: 1 }))
  for (const name of ['a', 'b', 'c']) void enter(name, [name])
  await leave('none')
  await leave('a')
  await leave('a')
  expect(begun).toEqual(['a', 'b'])
})

test('no more run at once than may, and a place whose work failed is free again', async () => {
  const queue = new FairQueue({ running: 2, waiting: 100 })
  let running = 0
  let most = 0
  const work = async (n: number) => {
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    if (n % 3 === 0) throw new Error('failed')
  }
  const all = Array.from({ length: 60 }, (_, n) => queue.run(`share ${n % 7}`, () => work(n)))
  const outcomes = await Promise.allSettled(all)
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(20)
  expect(most).toBe(2)
})

test("work that comes back waits, however full its line and all lines are, and takes nobody else's place", async () => {
  const queue = new FairQueue({ running: 1, runningPerKey: 1, waiting: 2, waitingPerCaller: 2 })
  const leaves = [await queue.enter(['a'])]
  const ended: string[] = []
  const enter = (name: string, isReturning = false) =>
    queue.enter([name.charAt(0)], { isReturning }).then((leave) => {
      ended.push(name)
      leaves.push(leave)
    })
  const line = [enter('a1'), enter('a2')]
  await expect(enter('a3')).rejects.toMatchObject({ type: 'rate_limited' })
  const back = [enter('a back', true), enter('b back', true)]
  while (ended.length < 4) {
    leaves.pop()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all([...line, ...back])
  expect([...ended].sort()).toEqual(['a back', 'a1', 'a2', 'b back'])
})

test('work that comes back has its turn before other work of its caller, and after that of callers before it', async () => {
  const queue = new FairQueue({ ...BOUNDS, running: 1 })
  const { begun, enter, leave } = callers(queue)
  for (const name of ['a0', 'b0', 'a1', 'a2']) void enter(name, [name.charAt(0)])
  for (const name of ['back 1', 'back 2'])
    void queue.enter(['a'], { isReturning: true }).then((giveBack) => {
      begun.push(name)
      giveBack()
    })
  await leave('none')
  for (const name of ['a0', 'b0', 'a1']) await leave(name)
  expect(begun).toEqual(['a0', 'b0', 'back 1', 'back 2', 'a1', 'a2'])
})
