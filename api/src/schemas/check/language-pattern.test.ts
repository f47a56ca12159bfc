import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import { asLanguagePattern } from './language-pattern.js'

/** Spaces and line ends of Unicode, what is next to them, and letters. */
const LETTERS = [
  ...Array.from({ length: 0x110 }, (_, code) => code),
  0x167f,
  0x1680,
  0x1681,
  0x180e,
  0x1fff,
  0x2000,
  0x200a,
  0x200b,
  0x2027,
  0x2028,
  0x2029,
  0x202a,
  0x202e,
  0x202f,
  0x2030,
  0x205e,
  0x205f,
  0x2060,
  0x2fff,
  0x3000,
  0x3001,
  0xfefe,
  0xfeff,
  0xff00,
  0x1f600,
  0x10ffff,
].map((code) => String.fromCodePoint(code))

const PATTERNS = [
  '\\s',
  '\\S',
  '.',
  '[\\s]',
  '[\\S]',
  '[^\\s]',
  '[^\\S]',
  '[\\s\\S]',
  '[^\\sa]',
  '[\\Sa ]',
  '[.]',
  '\\.',
  '\\\\s',
  '\\w',
  '\\W',
  '\\d',
  '\\D',
  '[\\w-]',
  '[\\b]',
  '[a[]',
  '[[:alpha:]',
  '\\t',
  '\\v',
  '\\f',
  '\\u00a0',
  '\\x41',
  '\\p{L}',
  '\\P{Lu}',
]

test.each(PATTERNS)('%s takes the same letters as in ECMA-262', (pattern) => {
  const whole = `^${pattern}$`
  const linear = RE2JS.compile(RE2JS.translateRegExp(asLanguagePattern(whole)))
  const language = pattern === '[[:alpha:]' || pattern === '[a[]' ? new RegExp(whole) : new RegExp(whole, 'u')
  const taken = (test: (text: string) => boolean) =>
    [...LETTERS, '\\s', '\\a'].filter(test).map((letter) => letter.codePointAt(0)?.toString(16))
  expect(taken((text) => linear.matcher(text).find())).toEqual(taken((text) => language.test(text)))
})

test.each(['\\Aa', 'a\\z', '\\Qa.b\\E', '\\C', '\\pL', '\\x{41}', '(?i)a', '(?P<x>a)', '[]a]', '[^]a]', '[\\A]'])(
  '%s, which RE2 alone would understand, is refused',
  (pattern) => {
    expect(() => asLanguagePattern(pattern)).toThrow(SyntaxError)
  },
)
