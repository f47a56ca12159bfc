import { describe, expect, test } from 'vitest'
import { markdown } from './markdown.js'

const table = `|${'a|'.repeat(400)}\n|${'-|'.repeat(400)}\n${'|a\n'.repeat(33_000)}`
const brackets = '['.repeat(99_000)

describe('the markup of a stranger’s text', () => {
  test('is of the first 20,000 characters, in whole lines and whole characters, and says where it is cut', () => {
    const line = `${'a'.repeat(99)}\n`
    for (const [length, shown] of [
      [19_999, 19_999],
      [20_000, 20_000],
      [20_001, 19_999],
    ] as const) {
      const { markup, isCut } = markdown(line.repeat(201).slice(0, length))
      expect(isCut, String(length)).toBe(length > 20_000)
      expect(markup.text.trimEnd()).toBe(`<p dir="auto">${line.repeat(201).slice(0, shown).trimEnd()}</p>`)
    }
    const astral = markdown(`a${'😀'.repeat(10_000)}`)
    expect(astral.isCut).toBe(true)
    expect(astral.markup.text).toMatch(/^<p dir="auto">a(?:😀)+<\/p>\n$/u)
  })

  test('is worked out once, however costly the text', () => {
    for (const text of [table, brackets]) {
      const first = markdown(text)
      const started = process.cpuUsage()
      for (let reader = 0; reader < 100; reader++) expect(markdown(text)).toBe(first)
      expect(process.cpuUsage(started).user).toBeLessThan(500_000)
    }
  })

  test('is not much longer than its text: a table that fills itself in is shown as it was written', () => {
    const { markup } = markdown(table)
    expect(markup.text).toMatch(/^<p class="plain" dir="auto">\|a\|/)
    expect(markup.text.length).toBeLessThan(21_000)
    expect(markdown(brackets).markup.text.length).toBeLessThan(21_000)
  })

  test('is kept for the texts read last, within bounds', () => {
    const kept = markdown('kept because it is read')
    const first = markdown('forgotten')
    for (let number = 0; number < 16_000; number++) {
      markdown(`text ${number}`)
      expect(markdown('kept because it is read')).toBe(kept)
    }
    expect(markdown('forgotten')).not.toBe(first)
  })
})
