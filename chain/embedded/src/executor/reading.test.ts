import { expect, test } from 'vitest'
import { type Hex, hexOf } from '../store/store.js'
import { Overlay } from './overlay.js'
import { Reading, type StateView } from './reading.js'

const PREFIX = `0x${'ab'.repeat(32)}` as const
const KEYS = Array.from({ length: 2_500 }, (_, number): Hex => `${PREFIX}${number.toString(16).padStart(4, '0')}`)

/** A state without anything in memory; it counts the reads. */
function distant(entries: ReadonlyMap<Hex, Hex>) {
  const asked = { values: 0, keys: 0 }
  const state: StateView = {
    known: () => undefined,
    values: async (keys) => {
      asked.values += 1
      return keys.map((key) => entries.get(key))
    },
    keys: async (after, count) => {
      asked.keys += 1
      return [...entries.keys()].filter((key) => key > after).slice(0, count)
    },
  }
  return { asked, state }
}

function walked(reading: Reading, from: Hex): Hex[] {
  const keys: Hex[] = []
  for (let key = reading.nextKey(from); key !== undefined; key = reading.nextKey(key)) keys.push(key)
  return keys
}

async function repeat<T>(reading: Reading, run: () => T): Promise<T> {
  for (;;) {
    const seen = run()
    if (await reading.settle()) return seen
  }
}

test('absent entries are fetched once, all at the same time, and the run holds', async () => {
  const { asked, state } = distant(new Map())
  const reading = new Reading(state)
  const seen = await repeat(reading, () => [reading.get('0x01'), reading.get('0x02'), reading.nextKey('0x03')])
  expect(seen).toEqual([undefined, undefined, undefined])
  expect(asked).toEqual({ values: 1, keys: 1 })
})

test('a run that took a present key for absent is repeated with its value', async () => {
  const { asked, state } = distant(new Map([['0x01', '0x02'] as const, ['0x02', '0x03'] as const]))
  const reading = new Reading(state)
  const follow = () => {
    const first = reading.get('0x01')
    return first && reading.get(hexOf(first))
  }
  expect(await repeat(reading, follow)).toEqual(Uint8Array.of(3))
  expect(asked.values).toBe(2)
})

test('entries in memory are not fetched', async () => {
  const { asked, state } = distant(new Map())
  const reading = new Reading({ ...state, known: (key) => (key === '0x01' ? '0x05' : null) })
  expect(await repeat(reading, () => [reading.get('0x01'), reading.get('0x02')])).toEqual([Uint8Array.of(5), undefined])
  expect(asked).toEqual({ values: 0, keys: 0 })
})

test('a map is walked to its end page by page, from wherever several walks begin', async () => {
  const { asked, state } = distant(new Map(KEYS.map((key) => [key, '0x00'])))
  const reading = new Reading(state)
  const walk = (from: Hex) => walked(reading, from)
  const [middle, start, late] = [KEYS[1_200] ?? '0x', PREFIX, KEYS[2_400] ?? '0x']
  const seen = await repeat(reading, () => [walk(middle), walk(start), walk(late)])
  expect(seen).toEqual([KEYS.slice(1_201), KEYS, KEYS.slice(2_401)])
  expect(asked.keys).toBeLessThan(12)
})

test('a run that clears a map without entries holds, whatever lies behind that map; one with an entry is repeated', async () => {
  const behind: Hex = `0x${'ac'.repeat(33)}`
  const runs = async (entries: readonly Hex[], clear: (overlay: Overlay) => void) => {
    const reading = new Reading(distant(new Map(entries.map((key) => [key, '0x00']))).state)
    let count = 0
    const changes = await repeat(reading, () => {
      count += 1
      const overlay = new Overlay(reading)
      clear(overlay)
      return overlay.changes()
    })
    return { count, cleared: [...changes.keys()] }
  }
  const clear = (overlay: Overlay) => overlay.clear(PREFIX, Number.POSITIVE_INFINITY)
  expect(await runs([behind], clear)).toEqual({ count: 1, cleared: [] })
  expect(await runs([`${PREFIX}01`, behind], clear)).toEqual({ count: 2, cleared: [`${PREFIX}01`] })
  // A walk to whatever key is next asks at the same place.
  const also = (overlay: Overlay) => {
    clear(overlay)
    const next = overlay.nextKey(PREFIX)
    if (next !== undefined) overlay.set(next, null)
  }
  expect(await runs([behind], also)).toEqual({ count: 2, cleared: [behind] })
})

test('a walk goes on from one map into the next, and what begins with a pallet alone is cleared in all of its maps', async () => {
  const pallet = `0x${'cd'.repeat(16)}` as const
  const mapOf = (name: string): Hex => `${pallet}${name.repeat(16)}`
  const [first, second, other] = [mapOf('11'), mapOf('22'), mapOf('33')]
  const keys = [first, second].flatMap((map) => ['01', '02'].map((entry): Hex => `${map}${entry}`))
  const { state } = distant(new Map([...keys, `0xce` as const].map((key) => [key, '0x00'])))
  const reading = new Reading(state)
  expect(await repeat(reading, () => walked(reading, pallet))).toEqual([...keys, '0xce'])
  const clearing = new Reading(state)
  const cleared = await repeat(clearing, () => {
    const overlay = new Overlay(clearing)
    overlay.set(`${other}01`, Uint8Array.of(1))
    overlay.clear(pallet, Number.POSITIVE_INFINITY)
    return overlay.changes()
  })
  expect([...cleared.keys()].sort()).toEqual([...keys, `${other}01`])
  expect([...cleared.values()].every((value) => value === null)).toBe(true)
})

test('a run that rewrites a large map is repeated a few times and not once a page', async () => {
  const { state } = distant(new Map(KEYS.map((key) => [key, '0x00'])))
  const reading = new Reading(state)
  let runs = 0
  const changes = await repeat(reading, () => {
    runs += 1
    const overlay = new Overlay(reading)
    for (let key = overlay.nextKey(PREFIX); key !== undefined; key = overlay.nextKey(key)) {
      overlay.set(key, Buffer.concat([overlay.get(key) ?? Buffer.alloc(0), Buffer.from([1])]))
    }
    return overlay.changes()
  })
  expect([...changes.values()].filter((value) => value === '0x0001')).toHaveLength(KEYS.length)
  expect(runs).toBeLessThan(16)
})
