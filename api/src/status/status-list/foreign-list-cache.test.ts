import { expect, test } from 'vitest'
import { ForeignLists } from './foreign-list-cache.js'

const second = (n: number) => new Date(n * 1000)
const fetched = second(100)
const ask = (now: Date, maxAgeMs = Number.POSITIVE_INFINITY) => ({ now, maxAgeMs })
const of = (length: number) => Buffer.alloc(length)
const held = (lists: ForeignLists, ...urls: string[]) =>
  urls.filter((url) => lists.find(url, ask(fetched)) !== undefined)

test.each([
  ['nothing is said of it', undefined, 110],
  ['its keeper allows less', 3000, 103],
  ['its keeper allows more', 60_000, 110],
])('a list lives as long as both sides allow, when %s', (_, ttlMs, end) => {
  const lists = new ForeignLists({ maxBytes: 100, maxAgeMs: 10_000 })
  lists.keep('a', { bytes: of(1), fetched }, ttlMs)
  expect(lists.find('a', ask(new Date(end * 1000 - 1)))).toHaveLength(1)
  expect(lists.find('a', ask(second(end)))).toBeUndefined()
})

test('no list is kept without its keeper’s leave, or with a cache lifetime of zero', () => {
  const [short, none] = [10_000, 0].map((maxAgeMs) => new ForeignLists({ maxBytes: 100, maxAgeMs }))
  short?.keep('a', { bytes: of(1), fetched }, 0)
  none?.keep('a', { bytes: of(1), fetched }, undefined)
  expect([short, none].map((lists) => lists?.find('a', ask(fetched)))).toEqual([undefined, undefined])
})

test('the least recently used list makes room; one larger than the whole cache is not kept', () => {
  const lists = new ForeignLists({ maxBytes: 10, maxAgeMs: 10_000 })
  const keep = (url: string, length: number) => lists.keep(url, { bytes: of(length), fetched }, undefined)
  keep('a', 5)
  keep('b', 5)
  expect(held(lists, 'b', 'a')).toEqual(['b', 'a'])
  keep('c', 1)
  expect(held(lists, 'a', 'b', 'c')).toEqual(['a', 'c'])
  keep('d', 10)
  expect(held(lists, 'a', 'c', 'd')).toEqual(['d'])
  keep('e', 11)
  expect(held(lists, 'd', 'e')).toEqual(['d'])
  keep('d', 3)
  keep('f', 7)
  expect(held(lists, 'd', 'f')).toEqual(['d', 'f'])
})

test('a list that is being fetched, or looked at, is fetched once, and again after a failure', async () => {
  const lists = new ForeignLists({ maxBytes: 10, maxAgeMs: 10_000 })
  let times = 0
  const fetch = async () => {
    times += 1
    if (times === 1) throw new Error('not there')
    return of(times)
  }
  const length = async ({ bytes }: { bytes: Buffer }) => bytes.length
  const once = (look = length) => lists.fetchOnce('a', ask(fetched), fetch, look)
  const failed = await Promise.allSettled([once(), once()])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  let another: Promise<number> | undefined
  await once(async ({ bytes }) => {
    another = once()
    return bytes.length
  })
  expect([await another, times]).toEqual([2, 2])
  expect(await once()).toBe(3)
})

test('a list that is older than asked for is not used, neither kept nor on its way', async () => {
  const lists = new ForeignLists({ maxBytes: 10, maxAgeMs: 10_000 })
  lists.keep('a', { bytes: of(1), fetched }, undefined)
  expect(lists.find('a', ask(second(104), 4000))).toHaveLength(1)
  expect(lists.find('a', ask(second(104), 3999))).toBeUndefined()
  let times = 0
  const fetch = async () => {
    times += 1
    return of(times)
  }
  const once = (now: Date, maxAgeMs: number) =>
    lists.fetchOnce('b', ask(now, maxAgeMs), fetch, async ({ bytes, fetched: since }) => [bytes.length, since])
  const together = [once(fetched, 0), once(second(104), 4000), once(second(104), 3999), once(second(104), 0)]
  expect(await Promise.all(together)).toEqual([
    [1, fetched],
    [1, fetched],
    [2, second(104)],
    [2, second(104)],
  ])
})

test('a slow answer does not replace that of a later request', () => {
  const lists = new ForeignLists({ maxBytes: 10, maxAgeMs: 10_000 })
  lists.keep('a', { bytes: of(2), fetched: second(101) }, undefined)
  lists.keep('a', { bytes: of(1), fetched }, undefined)
  expect(lists.find('a', ask(second(102)))).toHaveLength(2)
})

test('a list that may not live takes no other’s place', () => {
  const lists = new ForeignLists({ maxBytes: 10, maxAgeMs: 10_000 })
  lists.keep('a', { bytes: of(5), fetched }, undefined)
  lists.keep('b', { bytes: of(10), fetched }, 0)
  expect(held(lists, 'a', 'b')).toEqual(['a'])
})

test('the end of a fetch that took long does not end a later one', async () => {
  const lists = new ForeignLists({ maxBytes: 10, maxAgeMs: 10_000 })
  const ends: (() => void)[] = []
  const fetch = () => new Promise<Buffer>((done) => ends.push(() => done(of(ends.length))))
  const once = (now: Date) => lists.fetchOnce('a', ask(now, 0), fetch, async ({ fetched: since }) => since)
  const [early, late] = [once(fetched), once(second(104))]
  ends[0]?.()
  expect(await early).toEqual(fetched)
  const later = once(second(104))
  expect(ends).toHaveLength(2)
  ends[1]?.()
  expect(await Promise.all([late, later])).toEqual([second(104), second(104)])
})
