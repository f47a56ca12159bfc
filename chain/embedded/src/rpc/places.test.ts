import { expect, test } from 'vitest'
import { clientNetwork } from './address.js'
import { type Place, Places } from './places.js'

/** Makes a few places, and records the holders that were closed. */
function fewPlaces() {
  const places = new Places({ arriving: 2, perAddress: 3, all: 5 })
  const closed: string[] = []
  const enter = (network: string, name: string): Place | undefined => places.enter(network, () => closed.push(name))
  return { places, closed, enter }
}

test('the longest idle connection of an address with all its places makes room', () => {
  const { places, closed, enter } = fewPlaces()
  const [first, second] = [enter('a', '1'), enter('a', '2')]
  enter('a', '3')
  expect(closed).toEqual([])
  if (first) places.rest(first)
  if (second) second.isAtWork = true
  expect(enter('a', '4')).toBeDefined()
  expect(closed).toEqual(['3'])
})

test('an address all of whose connections are at work gets no further one, and others do', () => {
  const { closed, enter } = fewPlaces()
  for (const name of ['1', '2', '3']) {
    const place = enter('a', name)
    if (place) place.isAtWork = true
  }
  expect(enter('a', '4')).toBeUndefined()
  expect(enter('b', '5')).toBeDefined()
  expect(closed).toEqual([])
})

test('when all places are taken the address with the most connections makes room, and one that left frees its own', () => {
  const { places, closed, enter } = fewPlaces()
  const alone = enter('b', 'alone')
  for (const name of ['1', '2', '3']) enter('a', name)
  enter('c', 'other')
  expect(closed).toEqual([])
  enter('d', 'newcomer')
  expect(closed).toEqual(['1'])
  if (alone) places.leave(alone)
  if (alone) places.leave(alone)
  enter('e', 'in the free place')
  expect(closed).toEqual(['1'])
  enter('f', 'last')
  expect(closed).toEqual(['1', '2'])
})

test('when all of the address with the most connections are at work the next one with one at rest makes room', () => {
  const { closed, enter } = fewPlaces()
  const all = [...['1', '2', '3'].map((name) => enter('a', name)), enter('b', '4'), enter('c', '5')]
  for (const place of all.slice(0, 4)) if (place) place.isAtWork = true
  expect(enter('d', 'newcomer')).toBeDefined()
  expect(closed).toEqual(['5'])
})

test('when all are at work nobody gets in', () => {
  const { closed, enter } = fewPlaces()
  for (const network of ['a', 'a', 'a', 'b', 'c']) {
    const place = enter(network, network)
    if (place) place.isAtWork = true
  }
  expect(enter('d', 'newcomer')).toBeUndefined()
  expect(closed).toEqual([])
})

test('connections that ask nothing make room for newer ones', () => {
  const { places } = fewPlaces()
  const gone: number[] = []
  const arriving = [0, 1, 2, 3].map((n) => ({ destroy: () => gone.push(n) }))
  for (const connection of arriving.slice(0, 3)) places.arrive(connection)
  expect(gone).toEqual([0])
  for (const connection of arriving.slice(1, 2)) places.depart(connection)
  for (const connection of arriving.slice(3)) places.arrive(connection)
  expect(gone).toEqual([0])
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::', '2001:db8:1:3::/64'],
  ['nonsense', 'unknown'],
  [undefined, 'unknown'],
])('the address %s counts as %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network)
})
