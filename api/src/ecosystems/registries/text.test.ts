import { describe, expect, test } from 'vitest'
import { freeText, governanceVersion, registryName, webUrl, webUrlOrEmpty } from './text.js'

describe('a registry name', () => {
  test.each([
    'Council of Universities',
    'Łódź',
    'جامعة القاهرة',
    '東京大学',
    '한국 대학 협의회',
    'Ελληνικά Πανεπιστήμια',
    "O'Brien & Søn (2026) #1",
    '🎓 Degrees',
    'a'.repeat(256),
    'é'.repeat(128),
    '👩\u200d🎓 Degrees',
    'دانشگاه\u200cها',
  ])('may be %j', (name) => expect(registryName(name)).toBe(name))

  test.each([
    ['empty', ''],
    ['blank', ' \u00a0\u2003 '],
    ['invisible', '\u200b\u200d\ufeff'],
    ['with a line break', 'Degrees\nand more'],
    ['with a tab', 'Degrees\tand more'],
    ['with a NUL', 'Degrees\u0000'],
    ['with a C1 control', 'Medical Academy \u0093Karol\u0094'],
    ['that turns the writing direction', 'Degrees \u202egro.live'],
    ['with an isolate', 'Degrees \u2066x\u2069'],
    ['with broken characters', 'Universit\ufffdt'],
    ['of 257 bytes', 'a'.repeat(257)],
    ['of 258 bytes in 129 letters', 'é'.repeat(129)],
  ])('may not be %s', (_what, name) => expect(() => registryName(name)).toThrow(/name/))

  test('is counted as the ledger counts it, and says so', () =>
    expect(() => registryName('学'.repeat(86))).toThrow('name has 258 bytes in UTF-8'))

  test('is kept in one form, so that equal names are equal bytes', () =>
    expect(registryName(' Universite\u0301 ')).toBe('Universit\u00e9'))

  test.each([
    ['Soukromá stře\u00addní škola', 'Soukromá střední škola'],
    ['Greenwich School of Management\u200e', 'Greenwich School of Management'],
    ['\ufeffHar\u200bvard\u2060 Uni\u200fversity\u061c', 'Harvard University'],
    ['Universite\u200b\u0301', 'Université'],
  ])('%j is kept without what nobody sees, and looks like no other', (sent, name) =>
    expect(registryName(sent)).toBe(name),
  )
})

test('the version of a governance framework is one line, since it ends at the first line feed of what is digested', () => {
  expect(governanceVersion('1.0')).toBe('1.0')
  expect(() => governanceVersion('1.0\n2')).toThrow('governanceFrameworkVersion')
})

test('text of several lines is kept to the byte, but for controls', () => {
  const text = '# Rules\r\n\r\n\t- one\n \u202b\u05d0\u202c \n'
  expect(freeText(text, 'governanceFramework')).toBe(text)
  for (const bad of ['\u0000', '\u001b[31m', '\u007f', '\u0085', '\ufffd'])
    expect(() => freeText(`a${bad}`, 'description')).toThrow('description')
})

describe('a URL', () => {
  test.each([
    'https://example.org',
    'http://127.0.0.1:3000/a?b=c#d',
    'HTTPS://EXAMPLE.ORG/',
    'https://münchen.example/ä',
  ])('may be %s', (url) => expect(webUrl(url, 'logoUrl')).toBe(url))

  test.each([
    'example.org',
    '//example.org',
    'http:example.org',
    'https://',
    'https:// example.org',
    'https://exa mple.org',
    'ftp://example.org',
    'javascript:alert(1)',
    'data:image/png;base64,AAAA',
    'https://user:secret@example.org',
    'https://example.org/\u202egnp',
    'https://example.org/\u0007',
    'https://[::1',
    'https://example.org:99999',
    'undefined',
  ])('may not be %j', (url) => expect(() => webUrl(url, 'logoUrl')).toThrow('logoUrl'))

  test('of information may be empty', () => {
    expect(webUrlOrEmpty('', 'infoUrl')).toBe('')
    expect(() => webUrlOrEmpty(' ', 'infoUrl')).toThrow('infoUrl')
  })
})
