import { parse } from 'graphql'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { id, issuer, list, registry, schema } from '../testing.js'
import { COST_OF_STATEMENT, demandOf } from './cost.js'
import { graphWorld } from './graph.testing.js'

const { post } = graphWorld()

const BETWEEN = 'filter: { from: "2026-01-01T00:00:01Z", to: "2026-01-01T00:00:30Z" }'
const AT = 'at: "2026-01-01T00:00:40Z"'
const who = `did: "${issuer}"`
const events = `events(${BETWEEN}) { total }`
const ofDid = [
  'id',
  'state { versionId }',
  'document',
  'document state { deactivated }',
  'rights { nodes { event } }',
  events,
]
const ofRegistry = ['name', 'schemas { nodes { id } }', 'participants { nodes { suspended } }', events]

test.each([
  `{ point(${AT}) { block } }`,
  ...ofRegistry.flatMap((field) => [
    `{ registries(${AT}) { nodes { ${field} } } }`,
    `{ registry(id: "${registry}", ${AT}) { ${field} } }`,
    `{ registry(id: "other", ${AT}) { ${field} } }`,
  ]),
  ...ofDid.flatMap((field) => [
    `{ dids(${AT}) { nodes { ${field} } } }`,
    `{ did(id: "${issuer}", ${AT}) { ${field} } }`,
    `{ registry(id: "${registry}") { convener { ${field} } } }`,
    `{ participants(registryId: "other", ${AT}) { nodes { did { ${field} } } } }`,
    `{ participants(registryId: "${registry}", ${AT}) { nodes { did { ${field} } } } }`,
  ]),
  `{ rights(${who}, ${AT}) { nodes { event } } }`,
  `{ keys(${who}, ${AT}) { nodes { id } } }`,
  ...['kind', 'status(index: 5)', events].flatMap((field) => [
    `{ revocationRegistries(${AT}) { nodes { ${field} } } }`,
    `{ revocationRegistries(creator: "${issuer}", first: 1, ${AT}) { nodes { ${field} } } }`,
    `{ revocationRegistry(id: "${list}", ${AT}) { ${field} } }`,
  ]),
  `{ events(${BETWEEN}, ${AT}) { total nodes { before after } } }`,
  ...[registry, id(99), 'other'].map(
    (which) =>
      `{ authorization(registryId: "${which}", ${who}, schema: "${schema}", role: issuer, ${AT}) { explanation } }`,
  ),
])('the cost tells each statement that is put to the index: %s', async (query) => {
  const lent = vi.spyOn(pg.Pool.prototype, 'connect')
  const { data, errors } = (await post({ query })).json()
  const ofIndex = lent.mock.contexts.filter(
    (pool) => pool instanceof pg.Pool && pool.options.application_name === 'accredit-index-reader',
  )
  lent.mockRestore()
  if (!query.includes('"other"')) expect([Object.values(data)[0], errors]).toEqual([expect.anything(), undefined])
  expect(ofIndex.length).toBeGreaterThan(0)
  expect(ofIndex.length).toBeLessThanOrEqual(demandOf(parse(query)).cost / COST_OF_STATEMENT)
})
