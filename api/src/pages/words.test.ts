import { IntlMessageFormat } from 'intl-messageformat'
import { describe, expect, test } from 'vitest'
import { Html } from '../platform/http/html.js'
import { amountOf } from './amount.js'
import { initialsOf } from './logo.js'
import { languageOf, TEXTS, wordsFor } from './words.js'

type Node = ReturnType<IntlMessageFormat['getAst']>[number]

/** The names of all values that a text is filled in with, also those inside its choices. */
function valuesIn(nodes: readonly Node[]): string[] {
  return nodes.flatMap((node) => {
    const inside = 'options' in node ? Object.values(node.options).flatMap(({ value }) => valuesIn(value)) : []
    // A literal is a text, not a value, and `#` in a plural has no name.
    return node.type === 0 || !('value' in node) ? inside : [node.value, ...inside]
  })
}

const valuesOf = (text: string, locale: string) => [
  ...new Set(valuesIn(new IntlMessageFormat(text, locale, undefined, { ignoreTag: true }).getAst())),
]

describe('the texts of pages', () => {
  const { en, ...others } = TEXTS

  test.each(Object.entries(others))(
    'in %s have the keys and the values of the English ones',
    (_, { texts, locale }) => {
      expect(Object.keys(texts).sort()).toEqual(Object.keys(en.texts).sort())
      const all = (of: Record<string, string>, tag: string) =>
        Object.fromEntries(Object.entries(of).map(([key, text]) => [key, valuesOf(text, tag).sort()]))
      expect(all(texts, locale)).toEqual(all(en.texts, en.locale))
      for (const [key, text] of Object.entries(texts)) expect(text.trim(), key).not.toBe('')
    },
  )

  test('are told apart by the values in them', () => {
    expect(valuesOf('{a} {count, plural, one {# of {b}} other {#}} {n, number}', 'en')).toEqual([
      'a',
      'count',
      'b',
      'n',
    ])
  })

  test('hold what they are filled in with, escaped unless it is markup', () => {
    const { say, plain } = wordsFor('en')
    expect(say('eventRemoved', { actor: '<b>' }).text).toBe('&#60;b&#62; removed this ecosystem.')
    expect(say('eventRemoved', { actor: new Html('<bdi>A</bdi>') }).text).toBe('<bdi>A</bdi> removed this ecosystem.')
    expect(plain('asOf', { name: 'A{b}', moment: '<' })).toBe('A{b}, as of <')
  })

  test('count as the language does', () => {
    const counted = (language: string) =>
      [0, 1, 3, 1234].map((count) => wordsFor(language).plain('schemaCount', { count }))
    expect(counted('en')).toEqual(['0 schemas', '1 schema', '3 schemas', '1,234 schemas'])
    expect(counted('tr')).toEqual(['0 şema', '1 şema', '3 şema', '1.234 şema'])
  })
})

test('dates and amounts are written by the habits of the language', () => {
  const date = new Date('2026-01-31T15:04:05Z')
  const written = (language: string) => {
    const { dayOf, momentOf, amount } = wordsFor(language)
    return [dayOf(date), momentOf(date), amount(amountOf(1_234_500_000n)), amount(amountOf(2n ** 128n - 1n))]
  }
  expect(written('en')).toEqual([
    '31 January 2026',
    '31 January 2026, 15:04:05 UTC',
    '1,234.5',
    '340,282,366,920,938,463,463,374,607,431,768.211455',
  ])
  expect(written('tr')).toEqual([
    '31 Ocak 2026',
    '31 Ocak 2026, 15:04:05 UTC',
    '1.234,5',
    '340.282.366.920.938.463.463.374.607.431.768,211455',
  ])
})

describe('the language of a page', () => {
  test.each([
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['tr', 'tr'],
    ['TR', 'tr'],
    ['tr-TR', 'tr'],
    ['tr-TR,tr;q=0.9,en-US;q=0.8,en;q=0.7', 'tr'],
    ['en-US,en;q=0.9,tr;q=0.8', 'en'],
    ['en;q=0.8,tr;q=0.9', 'tr'],
    ['de,fr;q=0.9', 'en'],
    ['de,tr;q=0.1', 'tr'],
    ['de,*;q=0.5,en;q=0', 'tr'],
    ['tr;q=0', 'en'],
    ['tr;q=0,en;q=0', 'en'],
    [';;,,q=', 'en'],
  ])('for Accept-Language: %s is %s', (header, language) => expect(languageOf(header)).toBe(language))
})

describe('initials', () => {
  test.each([
    ['Bilkent Üniversitesi', 'B\u200cÜ'],
    ['University of Oxford', 'U\u200cO'],
    ['Swiss Federal Institute of Technology, Zurich', 'S\u200cF'],
    ['125 СУ "Боян Пенев"', '1\u200cС'],
    ['جامعة القاهرة', 'ج\u200cا'],
    ['東京大学', '東'],
    ['agder', 'A'],
    ['université de strasbourg', 'U\u200cD'],
    ['ﬁrst', 'FI'],
    ['«»', ''],
    ['', ''],
  ])('of %s are %s', (name, initials) => expect(initialsOf(name, wordsFor('en'))).toBe(initials))

  test('are capitals of the language of the page', () => {
    expect(initialsOf('istanbul', wordsFor('tr'))).toBe('İ')
    expect(initialsOf('istanbul', wordsFor('en'))).toBe('I')
  })
})
