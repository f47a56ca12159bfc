import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { ecosystems } from './operations.js'
import { rowsOfReadme, tablesOfReadme } from './writes.testing.js'

/** A route as the table of README.md writes it. */
const shown = (url: string): string =>
  url
    .replace(/^\/trust-registries\/:registryId\//, '…/')
    .replace(/^\/trust-registries\/invitations\//, '…/invitations/')
    .replace(/:(registryId|participantId)/, '{id}')
    .replaceAll(/:(\w+)/g, '{$1}')

test('README.md names an existing test file for every table', async () => {
  const files = ['writes-of-participants.test.ts', 'writes-of-schemas.test.ts']
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, import.meta.url), 'utf8')))
  expect(tablesOfReadme().filter((heading) => !texts.some((text) => text.includes(`'${heading}'`)))).toEqual([])
})

test('every operation that changes anything has a row in a table of README.md', () => {
  const changing = ecosystems.operations.filter(({ method, auth }) => method !== 'GET' && auth === 'key')
  const named = changing.map(({ method, url }) => `\`${method} ${shown(url)}\``)
  expect(named).toContain('`DELETE …/schemas/{schemaId}/price`')
  const rows = tablesOfReadme()
    .flatMap(rowsOfReadme)
    .map(([rest = '']) => rest)
  expect(named.filter((name) => !rows.some((rest) => rest.includes(name)))).toEqual([])
})
