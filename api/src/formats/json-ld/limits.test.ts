import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../json.js'
import { bytesOf, checkLimits, checkPresentationLimits, countClaims, countNameless, LIMITS } from './limits.js'

const nested = (depth: number): Json => (depth === 0 ? 1 : { a: nested(depth - 1) })

describe('checkLimits', () => {
  it('answers the size of what it accepts', () => {
    expect(checkLimits({ credentialSubject: { degree: 'ü', zero: 0 } })).toBe(46)
  })
  it.each<[string, Json]>([
    ['deep nesting', nested(LIMITS.depth + 1)],
    ['many claims', Object.fromEntries(Array.from({ length: LIMITS.claims + 1 }, (_, i) => [`c${i}`, i]))],
    ['many claims over many subjects', Array.from({ length: LIMITS.claims + 1 }, () => ({ a: 1 }))],
    ['many bytes', { text: 'x'.repeat(LIMITS.bytes) }],
    ['a NUL', { text: 'a\u0000b' }],
    ['a NUL in a name', { 'a\u0000b': 1 }],
    ['half a surrogate pair', ['\ud800']],
    ['an empty name', { '': 1 }],
    ['a prototype', JSON.parse('{"__proto__": {"x": 1}}')],
  ])('refuses %s', (_, credentialSubject) => {
    expect(() => checkLimits({ credentialSubject })).toThrow()
  })
  it('does not overflow the stack on a hostile document', () => {
    let deep: Json = 1
    for (let i = 0; i < 3000; i++) deep = [deep]
    expect(() => checkLimits({ credentialSubject: { deep } })).toThrow(/deeper/)
  })
  it('counts members at every depth', () => {
    expect(countClaims([{ a: 1, b: { c: 1 } }, { d: [{ e: 1 }] }])).toBe(5)
    expect([countClaims({ a: null, b: null }), countClaims(undefined), countClaims(null)]).toEqual([2, 0, 0])
  })

  const filled = (bytes: number): JsonObject => ({ name: 'x'.repeat(bytes - bytesOf({ name: '' })) })
  const claims = (count: number): Json => Object.fromEntries(Array.from({ length: count }, (_, i) => [`c${i}`, null]))
  const counted = (count: number): Json => Array.from({ length: count }, () => ({ id: 'urn:x' }))

  it.each<[string, (one: 0 | 1) => JsonObject]>([
    ['nesting of 32', (one) => ({ credentialSubject: nested(30 + one) })],
    ['nesting in lists', (one) => ({ credentialSubject: { a: [nested(28 + one)] } })],
    ['100 claims', (one) => ({ credentialSubject: claims(100 + one) })],
    ['64 kB', (one) => filled(LIMITS.bytes + one)],
  ])('accepts %s, and refuses one more', (_, document) => {
    expect(() => checkLimits(document(0))).not.toThrow()
    expect(() => checkLimits(document(1))).toThrow(expect.objectContaining({ code: 'too_large' }))
  })

  it.each<[string, (one: 0 | 1) => JsonObject]>([
    [
      'a credential as deep as one may be',
      (one) => ({ verifiableCredential: [{ credentialSubject: nested(30 + one) }] }),
    ],
    ['512 kB', (one) => filled(512 * 1024 + one)],
    ['6000 members', (one) => ({ id: 'urn:x', all: [{ id: 'urn:x' }, claims(5997 + one)] })],
    ['600 nameless things', (one) => ({ id: 'urn:x', all: counted(600 + one) })],
  ])('accepts a presentation of %s, and refuses one more', (_, document) => {
    expect(() => checkPresentationLimits(document(0))).not.toThrow()
    expect(() => checkPresentationLimits(document(1))).toThrow(expect.objectContaining({ code: 'too_large' }))
  })
})

it('a credential has at most 300 objects without id and places in lists, whatever its size', () => {
  const withEvidence = (count: number) => ({
    id: 'urn:x:1',
    evidence: Array.from({ length: count }, () => ({ id: 'urn:x:2' })),
  })
  expect(() => checkLimits(withEvidence(300))).not.toThrow()
  expect(() => checkLimits(withEvidence(301))).toThrow(/at most 300/)
})

it('an object counts as nameless unless its id is text, and a place in a list counts whatever stands there', () => {
  const counts = [{}, { id: 'urn:x' }, { id: 7 }, { a: {}, b: { id: 'urn:x', c: {} } }, [1, { id: 'urn:x' }, []], 'x']
  expect(counts.map(countNameless)).toEqual([1, 0, 1, 3, 3, 0])
  expect(countNameless([[{}, {}], {}])).toBe(7)
  expect(countNameless({ '@context': [{}], type: ['A', 'B'], id: 'urn:x' })).toBe(0)
  expect(countNameless({ id: 'urn:x', a: null })).toBe(0)
})
