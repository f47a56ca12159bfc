import { expect, test } from 'vitest'
import { PoolRoom } from './pool-room.js'

const shares = {
  own: { bytes: 100, extrinsics: 10 },
  strangers: { bytes: 60, extrinsics: 6 },
  address: { bytes: 30, extrinsics: 3 },
}
const [ONE, OTHER, THIRD] = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
const OWN = undefined

/** Makes a pool with little room; tells how often somebody gets an extrinsic of so many bytes into it. */
function smallPool() {
  const room = new PoolRoom(shares)
  const fill = (from: string | undefined, bytes: number) => {
    let taken = 0
    for (; room.hasRoomFor(from) && taken < 100; taken++) room.take({ bytes, from })
    return taken
  }
  return { room, fill }
}

test.each([
  ['that are large', 10],
  ['that are many', 1],
])(
  'an address fills its share with extrinsics %s, all strangers theirs, and the product has its own',
  (_what, bytes) => {
    const { fill } = smallPool()
    expect([fill(ONE, bytes), fill(OTHER, bytes), fill(THIRD, bytes)]).toEqual([3, 3, 0])
    expect(fill(OWN, 10)).toBe(10)
  },
)

test('the last one may go beyond the bytes, and what is given back is free', () => {
  const { room, fill } = smallPool()
  room.take({ bytes: 29, from: ONE })
  expect(room.hasRoomFor(ONE)).toBe(true)
  room.take({ bytes: 1, from: ONE })
  expect(room.hasRoomFor(ONE)).toBe(false)
  room.giveBack({ bytes: 1, from: ONE })
  room.take({ bytes: 1_000, from: ONE })
  expect([room.hasRoomFor(ONE), room.hasRoomFor(OTHER), room.hasRoomFor(OWN)]).toEqual([false, false, true])
  room.giveBack({ bytes: 1_000, from: ONE })
  room.giveBack({ bytes: 29, from: ONE })
  expect(fill(ONE, 10)).toBe(3)
})
