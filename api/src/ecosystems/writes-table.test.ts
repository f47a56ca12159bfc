import { expect, test } from 'vitest'
import { ecosystems } from './operations.js'
import { rowsOfReadme } from './writes.testing.js'

/** A route as the table of README.md writes it. */
const shown = (url: string): string =>
  url
    .replace(/^\/trust-registries\/:registryId\//, '…/')
    .replace(/^\/trust-registries\/invitations\//, '…/invitations/')
    .replace(/:(registryId|participantId)/, '{id}')
    .replaceAll(/:(\w+)/g, '{$1}')

test('every operation that changes anything has a row in the table of README.md', () => {
  const changing = ecosystems.operations.filter(({ method, auth }) => method !== 'GET' && auth === 'key')
  const named = changing.map(({ method, url }) => `\`${method} ${shown(url)}\``)
  expect(named).toContain('`DELETE …/schemas/{schemaId}/price`')
  const rows = rowsOfReadme().map(([rest = '']) => rest)
  expect(named.filter((name) => !rows.some((rest) => rest.includes(name)))).toEqual([])
})
