import { compactToU8a } from '@polkadot/util'
import { describe, expect, test } from 'vitest'
import { type Hex, hexOf } from '../store/store.js'
import { type Beneath, Overlay } from './overlay.js'

const below: Beneath = over({ '0x0a': 1, '0x0a01': 2, '0x0a02': 3, '0x0b': 4 })

function over(entries: Record<Hex, number>): Beneath {
  const keys = Object.keys(entries) as Hex[]
  return {
    get: (key) => (entries[key] === undefined ? undefined : Uint8Array.of(entries[key])),
    nextKey: (after) => keys.sort().find((key) => key > after),
  }
}

const allKeys = (overlay: Overlay) => {
  const keys: Hex[] = []
  for (let key = overlay.nextKey('0x'); key !== undefined; key = overlay.nextKey(key)) keys.push(key)
  return keys
}

describe('a write of a run', () => {
  test('covers the keys that it reads, and no others', () => {
    const overlay = new Overlay(below)
    overlay.set('0x0a01', null)
    overlay.set('0x0a03', Uint8Array.of(9))
    expect([overlay.get('0x0a01'), overlay.get('0x0a03'), overlay.get('0x0b')]).toEqual([
      undefined,
      Uint8Array.of(9),
      Uint8Array.of(4),
    ])
    expect(allKeys(overlay)).toEqual(['0x0a', '0x0a02', '0x0a03', '0x0b'])
    expect(overlay.changes()).toEqual(
      new Map([
        ['0x0a01', null],
        ['0x0a03', '0x09'],
      ]),
    )
  })

  test('stays with a committed transaction, and goes with one rolled back', () => {
    const overlay = new Overlay(below)
    overlay.begin()
    overlay.set('0x0a', Uint8Array.of(7))
    overlay.begin()
    overlay.set('0x0a', null)
    overlay.set('0x0c', Uint8Array.of(8))
    expect(allKeys(overlay)).toEqual(['0x0a01', '0x0a02', '0x0b', '0x0c'])
    overlay.rollBack()
    expect(overlay.get('0x0a')).toEqual(Uint8Array.of(7))
    overlay.commit()
    expect(overlay.changes()).toEqual(new Map([['0x0a', '0x07']]))
    expect(() => overlay.commit()).toThrow('had not begun')
  })

  test('appends to lists, which lose the items of a transaction rolled back', () => {
    const list: Hex = '0x0d'
    const overlay = new Overlay({ get: () => Uint8Array.of(1 << 2, 7), nextKey: () => undefined })
    let model = [[7]]
    const before: (typeof model)[] = []
    const append = (...element: number[]) => {
      overlay.append(list, Uint8Array.from(element))
      model = [...model, element]
    }
    const encoded = () => Buffer.from([...compactToU8a(model.length), ...model.flat()])
    for (let step = 0; step < 200; step += 1) {
      append(step, step)
      if (step % 3 === 0) before.push(model)
      if (step % 3 === 0) overlay.begin()
      if (step % 7 === 0) append(step)
      if (step % 5 === 4 && overlay.depth > 0) {
        model = before.pop() ?? []
        overlay.rollBack()
      } else if (step % 4 === 1 && overlay.depth > 0) {
        before.pop()
        overlay.commit()
      }
      expect(overlay.get(list)).toEqual(encoded())
    }
    expect(model.length).toBeGreaterThan(64)
    while (overlay.depth > 0) overlay.commit()
    expect(overlay.changes()).toEqual(new Map([[list, hexOf(encoded())]]))
    overlay.set(list, null)
    overlay.append(list, Uint8Array.of(9))
    expect(overlay.get(list)).toEqual(Buffer.of(1 << 2, 9))
  })

  test('clears a prefix, of what is beneath no more than it may', () => {
    const overlay = new Overlay(below)
    overlay.set('0x0a04', Uint8Array.of(5))
    expect(overlay.clear('0x0a', 2)).toEqual({ removed: 2, isLeft: true })
    expect(allKeys(overlay)).toEqual(['0x0a02', '0x0b'])
    expect(new Overlay(below).clear('0x0a', Number.POSITIVE_INFINITY)).toEqual({ removed: 3, isLeft: false })
    expect(new Overlay(below).clear('0x0a', 3)).toEqual({ removed: 3, isLeft: false })
  })

  test('has a digest that every changed byte changes, in whatever order it was written', () => {
    const digest = (...changes: [Hex, number | null][]) => {
      const overlay = new Overlay(below)
      for (const [key, value] of changes) overlay.set(key, value === null ? null : Uint8Array.of(value))
      return overlay.digest()
    }
    expect(digest(['0x01', 1], ['0x02', 2])).toEqual(digest(['0x02', 2], ['0x01', 1]))
    expect(digest(['0x01', 1])).not.toEqual(digest(['0x01', 2]))
    expect(digest(['0x01', null])).not.toEqual(digest())
  })
})
