import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { registryRef, slugCandidates, slugOf } from './slug.js'

const id = `0x${'ab'.repeat(32)}`

describe('a slug', () => {
  test.each([
    ['Degrees 2026', 'degrees-2026'],
    ['  Łódź & Øresund: Straße  ', 'lodz-oresund-strasse'],
    ['Université d’Été', 'universite-dete'],
    ['İstanbul Üniversitesi', 'istanbul-universitesi'],
    ['Lǘneburg, Hồ Chí Minh', 'luneburg-ho-chi-minh'],
    ['東京大学', '東京大学'],
    ['جامعة القاهرة', 'جامعة-القاهرة'],
    ['दिल्ली विश्वविद्यालय', 'दिल्ली-विश्वविद्यालय'],
    ['Київський університет', 'київський-університет'],
    ['🎓🎓', 'ecosystem'],
    ['../../etc/passwd', 'etc-passwd'],
  ])('of %j is %j', (name, slug) => expect(slugOf(name)).toBe(slug))

  test('never holds what a path or query would read otherwise, and is never empty', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 64 }), (name) => {
        const slug = slugOf(name)
        expect(slug).not.toBe('')
        expect(slug).toMatch(/^[\p{L}\p{M}\p{N}-]+$/u)
        for (const candidate of slugCandidates(name, id))
          expect(registryRef(candidate)).toEqual({ slug: candidate.normalize('NFC').toLowerCase() })
      }),
    )
  })

  test.each([
    'Académie de Paris',
    'Uniwersytet Łódzki',
    'İTÜ 2026',
    'Azərbaycan',
    'Київський університет',
    'Московский банк 1',
    'Школа',
    'Υπουργείο Παιδείας και Θρησκευμάτων',
    'Université Київ',
    '東京大学',
    'カタカナ大学',
    '서울대학교',
    'جامعة القاهرة',
    'दिल्ली विश्वविद्यालय',
    'ＦＵＬＬ ｗｉｄｔｈ',
  ])('of %s is as it is written', (name) => expect(slugCandidates(name, id)[0]).toBe(slugOf(name)))

  test.each([
    ['a Cyrillic а', 'Bаnk of Degrees'],
    ['a Greek ο', 'Degreeο'],
    ['Cyrillic letters that all look Latin', 'асе'],
    ['a word of such letters beside Latin ones', 'асе university'],
    ['Greek letters that all look Latin', 'κοινα'],
    ['a Latin letter beside the alphabet', 'De\u0261rees'],
    ['a small capital', '\u1d00ce'],
    ['a script that nobody writes today', '\ua4ee\ua4ef'],
    ['a digit of another script', 'degrees-\u09ea'],
  ])('with %s gets a part of the id: it could be taken for another', (_what, name) =>
    expect(slugCandidates(name, id)[0]).toBe(`${slugOf(name)}-ababab`),
  )

  test('that a route has already is never given away', () => {
    expect(slugCandidates('Query', id)[0]).toBe('query-ababab')
    expect(slugCandidates('Invitations', id)).not.toContain('invitations')
  })

  test.each(['cd'.repeat(32), 'CD'.repeat(32), `0x${'cd'.repeat(31)}cd`, 'ｃｄ'.repeat(32)])(
    'never has the form of an id: %s',
    (name) => {
      const slugs = slugCandidates(name, id)
      expect(slugs[0]).toMatch(/^(0x)?(cd){32}-ababab$/)
      for (const slug of slugs) expect(registryRef(slug)).toEqual({ slug })
    },
  )

  test('gets a part of the id, then all of it, when it is taken', () => {
    expect(slugCandidates('Degrees', id)).toEqual(['degrees', 'degrees-ababab', `degrees-${'ab'.repeat(32)}`])
  })
})

test('a path names a registry by id in any case, with or without 0x, or by slug in any case', () => {
  for (const text of [id, id.toUpperCase(), 'ab'.repeat(32), 'aB'.repeat(32)]) expect(registryRef(text)).toEqual({ id })
  for (const text of ['Degrees-2026', ' degrees-2026\t']) expect(registryRef(text)).toEqual({ slug: 'degrees-2026' })
  for (const text of [` ${id}`, `${'ab'.repeat(32)} `]) expect(registryRef(text)).toEqual({ id })
})
