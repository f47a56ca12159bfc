import { expect, test } from 'vitest'
import { shownJson } from './shown-json.js'
import { HOSTILE_NAME } from './testing/sample-ledger.js'

test('a character that turns the direction, breaks a line or is not seen is escaped, and parses to itself', () => {
  const texts = [HOSTILE_NAME, '\u202a\u202e\u2066\u2069\u200f\u061c\u2028\u2029\u0085\u009b\u00ad\ufeff\u{e0041}']
  for (const text of texts) {
    const shown = shownJson({ [text]: text })
    expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(JSON.parse(shown)).toEqual({ [text]: text })
  }
})

test('letters of every script stay as they are, and a bigint is a number', () => {
  expect(shownJson(['Łódź Öztürk', 'שלום', 3n], 2)).toBe('[\n  "Łódź Öztürk",\n  "שלום",\n  3\n]')
})
