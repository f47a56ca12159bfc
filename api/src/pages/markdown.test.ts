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

  test('is not looked for in a text whose marks would cost more than its length', () => {
    const wide = `|${'a|'.repeat(4_500)}\n|${'-|'.repeat(4_500)}\n${'|\n'.repeat(500)}`
    const long = `${'a|'.repeat(90)}\n${'-|'.repeat(90)}\n${'a\n'.repeat(9_000)}`
    const costs = [wide, long, '['.repeat(19_900), '[a]('.repeat(4_900)].map((text) => {
      const before = process.cpuUsage()
      expect(markdown(text).markup.text).toMatch(/^<p class="plain" dir="auto">/)
      return process.cpuUsage(before).user / 1000
    })
    const before = process.cpuUsage()
    markdown('word *word* '.repeat(1_600))
    const usual = Math.max(5, process.cpuUsage(before).user / 1000)
    for (const cost of costs) expect(cost).toBeLessThan(5 * usual)
    const table = `| Role | Who |\n|-|-|\n${'| Issuer | [University](https://u.example) |\n'.repeat(300)}`
    expect(markdown(table).markup.text).toContain('<table')
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
