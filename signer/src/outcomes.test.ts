import { describe, expect, test } from 'vitest'
import { verdictOf } from './outcomes.js'

describe('what the error of an item means', () => {
  test.each(['BadNonce', 'Expired', 'ValidTooLong'])('after %s an action is signed afresh', (name) => {
    expect(verdictOf('dispatch', { pallet: 'Did', name, docs: '' }, false)).toBe('again')
  })

  test.each(['BadNonce', 'Expired', 'BadSignature'])('after %s what its owner signed is refused', (name) => {
    expect(verdictOf('authorised', { pallet: 'Did', name, docs: '' }, true)).toBe('refused')
  })

  test('what signing afresh does not mend is a refusal', () => {
    expect(verdictOf('dispatch', { pallet: 'Did', name: 'KeyNotFound', docs: '' }, false)).toBe('refused')
    expect(verdictOf('dispatch', { pallet: 'TrustRegistry', name: 'Expired', docs: '' }, false)).toBe('refused')
  })
})
