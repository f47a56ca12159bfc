import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nearName } from './near-name.js'

const letters = fc.string({ unit: fc.constantFrom(...'abcR'), maxLength: 8 })

/** Every text that one edit makes of another, computed in the slow way. */
function oneEditAway(text: string): Set<string> {
  const all = new Set<string>([text])
  for (let at = 0; at <= text.length; at++) {
    const [before, after] = [text.slice(0, at), text.slice(at)]
    all.add(before + after.slice(1))
    all.add(before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2))
    for (const letter of 'abcr') all.add(before + letter + after).add(before + letter + after.slice(1))
  }
  return all
}

test('a name is near when it differs by one edit, or by its case', () => {
  fc.assert(
    fc.property(letters, letters, (name, known) => {
      const isNear = oneEditAway(known.toLowerCase()).has(name.toLowerCase())
      expect(nearName(name, [known])).toBe(isNear ? known : undefined)
    }),
    { numRuns: 200, interruptAfterTimeLimit: 10_000 },
  )
})

test.each([
  ['trustRegistryID', 'trustRegistryId'],
  ['revocabel', 'revocable'],
  ['stauts', 'status'],
  ['att', 'at'],
  ['registry', undefined],
])('%s is near %s', (name, near) => {
  expect(nearName(name, ['trustRegistryId', 'revocable', 'status', 'at'])).toBe(near)
})

test('a name with the same letters comes before one with another letter', () => {
  expect(nearName('ta', ['to', 'at'])).toBe('at')
  expect(nearName('ot', ['to', 'at'])).toBe('to')
})

test('another case of one name comes before one edit of another', () => {
  expect(nearName('DID', ['id', 'did'])).toBe('did')
})
