import { expect, test } from 'vitest'
import { oddNames } from '../dids/odd-names.testing.js'
import { camelName, contextUri, fileOf, isFileName, schemaUri } from './schema-name.js'

test.each([
  ['University Degree', 'UniversityDegree'],
  ['university degree', 'UniversityDegree'],
  ['BasicCredential', 'BasicCredential'],
  ['Öğrenci Kimliği (2026)', 'OgrenciKimligi2026'],
  ['../../etc/passwd', 'EtcPasswd'],
  ['学位', 'Schema'],
  ['', 'Schema'],
  ['a'.repeat(300), `A${'a'.repeat(63)}`],
])('%j is filed as %s', (name, file) => {
  expect(camelName(name)).toBe(file)
})

test('every name, however odd, gives an address that is a URL with a known file name', () => {
  for (const name of oddNames()) {
    const file = fileOf({ name: camelName(name), version: 1, milliseconds: 1_800_000_000_000 })
    expect(isFileName(file)).toBe(true)
    expect(new URL(schemaUri('https://example.org', file)).href).toBe(
      `https://example.org/schema-documents/${file}.json`,
    )
    expect(contextUri('https://example.org', file)).toMatch(/\/contexts\/[A-Za-z0-9-]+\.jsonld$/)
  }
})
