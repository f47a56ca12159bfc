import { getIntrospectionQuery } from 'graphql'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { countRows, MOST_COUNTED } from '../../ledger/read/registries/registry-listings.js'
import { convener, delegate, did, id, issuer, list, registry, SCHEMA_URI, schema } from '../testing.js'
import { graphWorld } from './graph.testing.js'

interface Described {
  name: string
  description: string | null
  type: { kind: string }
}

interface Total {
  totalCount: number | null
}

interface IntrospectedType {
  name: string
  fields: { name: string; args: Described[] }[] | null
  inputFields: Described[] | null
}

const { opened, post, ask } = graphWorld()

describe('the ledger as a graph', () => {
  test('says its name', async () => {
    expect(await ask('{ __typename }')).toEqual({ __typename: 'Query' })
  })

  test('tells a registry with all that hangs below it, as of one point', async () => {
    const query = `query ($at: At) { registry(id: "${registry}", at: $at) {
      name point { block } convener { id state { keys { id kind } } }
      schemas { nodes { id public } }
      participants { nodes { did { id } suspended issuerSchemas verifierSchemas delegatedBy } }
      events(order: asc) { total nodes { id event actor after } }
    } }`
    const now = (await ask(query)).registry
    expect(now).toMatchObject({
      name: 'New name',
      point: { block: 12 },
      convener: { id: convener, state: { keys: [{ id: 1, kind: 'Ed25519' }] } },
      schemas: { nodes: [{ id: schema, public: false }] },
    })
    const participants = [
      { did: { id: convener }, suspended: false, issuerSchemas: [], verifierSchemas: [schema], delegatedBy: [] },
      { did: { id: issuer }, suspended: true, issuerSchemas: [schema], verifierSchemas: [], delegatedBy: [] },
      { did: { id: delegate }, suspended: false, issuerSchemas: [], verifierSchemas: [], delegatedBy: [issuer] },
    ]
    expect(now.participants.nodes).toEqual(participants.sort((a, b) => (a.did.id < b.did.id ? -1 : 1)))
    expect(now.events).toMatchObject({
      total: 3,
      nodes: [{ id: '2-1', after: { a: 1 } }, { id: '3-1' }, { id: '8-1' }],
    })

    const then = (await ask(query, { at: 3 })).registry
    expect(then).toMatchObject({
      name: 'Old name',
      events: { total: 2 },
      participants: { nodes: [{ did: { id: issuer } }] },
    })
    expect((await ask(query, { at: '2026-01-01T00:00:01.500Z' })).registry).toBeNull()
  })

  test('pages of every size tell the same as one', async () => {
    const query = `query ($first: Int, $after: String) { registries(first: $first, after: $after) {
      edges { cursor node { id } } pageInfo { hasNextPage endCursor } } }`
    for (const first of [1, 3, 4, 100]) {
      const found: string[] = []
      let after: string | null = null
      do {
        const { registries } = await ask(query, { first, after })
        found.push(...registries.edges.map(({ node }: { node: { id: string } }) => node.id))
        after = registries.pageInfo.hasNextPage ? registries.pageInfo.endCursor : null
      } while (after !== null)
      expect(found).toEqual([registry, id(21), id(22), id(23)])
    }
  })

  test('tells how many there are on all pages, whatever page is asked for, as of its point', async () => {
    const one = '(first: 1) { totalCount nodes { __typename } }'
    const query = `query ($at: At) {
      registries(first: 1, at: $at) { totalCount nodes { id } }
      some: registries(first: 1, filter: { issuers: ["${issuer}"] }, at: $at) { totalCount }
      dids(first: 1, at: $at) { totalCount }
      revocationRegistries(first: 1, at: $at) { totalCount }
      rights(did: "${delegate}", first: 1, at: $at) { totalCount }
      keys(did: "${issuer}", first: 1, at: $at) { totalCount }
      registry(id: "${registry}", at: $at) { schemas${one} participants${one} events${one} }
      issuers: participants(registryId: "${registry}", role: issuer, first: 1, at: $at) { totalCount }
      ofSchema: participants(registryId: "${registry}", schema: "${schema}", first: 1, at: $at) { totalCount }
      verifiers: participants(registryId: "${registry}", role: verifier, first: 1, at: $at) { totalCount }
    }`
    const totals = ({ registry: below, ...others }: { registry: Record<string, Total> }) =>
      Object.fromEntries(
        Object.entries<Total>({ ...others, ...below }).map(([name, { totalCount }]) => [name, totalCount]),
      )
    expect(totals(await ask(query))).toEqual({
      registries: 4,
      some: 1,
      dids: 3,
      revocationRegistries: 1,
      rights: 1,
      keys: 1,
      schemas: 1,
      participants: 3,
      events: 3,
      issuers: 2,
      ofSchema: 3,
      verifiers: 1,
    })
    expect(totals(await ask(query, { at: 3 }))).toEqual({
      registries: 4,
      some: 1,
      dids: 3,
      revocationRegistries: 0,
      rights: 0,
      keys: 1,
      schemas: 1,
      participants: 1,
      events: 2,
      issuers: 1,
      ofSchema: 1,
      verifiers: 0,
    })
  })

  test('counts no more rows than it says', async () => {
    const { db } = opened().ledger.index
    const rows = (count: number) => sql`select generate_series(1, ${count}::int)`
    expect(await countRows(db, rows(0))).toBe(0)
    expect(await countRows(db, rows(MOST_COUNTED - 1))).toBe(MOST_COUNTED - 1)
    expect(await countRows(db, rows(MOST_COUNTED))).toBe(MOST_COUNTED)
    expect(await countRows(db, rows(MOST_COUNTED + 1))).toBeNull()
  })

  test('tells DIDs, status bits, events and authorisation', async () => {
    const answer = await ask(`{
      dids { nodes { id } }
      did(id: "${issuer}") { document state { deactivated } events { total } }
      stranger: did(id: "${did(99)}") { id }
      revocationRegistry(id: "${list}") { kind length removed set: status(index: 5) clear: status(index: 6) beyond: status(index: 131072) }
      before: revocationRegistry(id: "${list}", at: 8) { set: status(index: 5) }
      events(filter: { event: ["IssuerSuspended"], from: "3" }, first: 1) { total nodes { id } pageInfo { hasNextPage } }
      now: authorization(registryId: "${registry}", did: "${issuer}", schema: "${SCHEMA_URI}", role: issuer) { authorized reason }
      earlier: authorization(registryId: "${registry}", did: "${issuer}", schema: "${schema}", role: issuer, at: 7) { authorized reason }
    }`)
    expect(answer).toMatchObject({
      did: { document: { id: issuer }, state: { deactivated: false }, events: { total: 3 } },
      stranger: null,
      revocationRegistry: {
        kind: 'StatusList',
        length: 131_072,
        removed: false,
        set: true,
        clear: false,
        beyond: null,
      },
      before: { set: false },
      events: { total: 2, nodes: [{ id: '8-1' }], pageInfo: { hasNextPage: true } },
      now: { authorized: false, reason: 'suspended' },
      earlier: { authorized: true, reason: 'direct' },
    })
    expect(answer.dids.nodes).toHaveLength(3)
  })

  test('tells rights and keys, at any point, a page after the other', async () => {
    const query = `query ($at: At, $after: String, $of: ID!) {
      rights(did: $of, first: 1, after: $after, at: $at) {
        nodes { registryId schemaId role direct via suspended effective since } pageInfo { hasNextPage endCursor } }
      keys(did: $of, at: $at) { nodes { id kind } pageInfo { hasNextPage } }
      did(id: $of, at: $at) { rights { nodes { role } } }
    }`
    const right = { registryId: registry, schemaId: schema, role: 'issuer' }
    expect(await ask(query, { of: delegate })).toEqual({
      rights: {
        nodes: [
          {
            ...right,
            direct: false,
            via: issuer,
            suspended: false,
            effective: false,
            since: '2026-01-01T00:00:05.000Z',
          },
        ],
        pageInfo: { hasNextPage: false, endCursor: expect.any(String) },
      },
      keys: { nodes: [{ id: 1, kind: 'Ed25519' }], pageInfo: { hasNextPage: false } },
      did: { rights: { nodes: [{ role: 'issuer' }] } },
    })
    expect((await ask(query, { of: delegate, at: 4 })).rights.nodes).toEqual([])
    const { rights } = await ask(query, { of: issuer })
    expect(rights.nodes).toMatchObject([{ ...right, direct: true, via: null, suspended: true, effective: false }])
    const after = rights.pageInfo.endCursor
    expect((await ask(query, { of: issuer, after })).rights.nodes).toEqual([])
    const foreign = (await post({ query, variables: { of: delegate, after } })).json()
    expect(foreign.errors).toMatchObject([{ extensions: { status: 400, type: 'invalid_request' } }])
  })

  test('can be introspected', async () => {
    expect((await ask(getIntrospectionQuery())).__schema.queryType.name).toBe('Query')
  })
})

test('a participant is suspended from the block on in which its DID is deactivated, as over REST', async () => {
  const [gone, other] = [did(70), id(21)]
  const { ledger } = opened()
  await ledger.row('did', { did: gone, submitter: 'payer', from_block: 1, to_block: 9 })
  await ledger.row('registry_schema', {
    registry_id: other,
    schema_id: schema,
    is_public: false,
    from_block: 3,
    to_block: null,
  })
  await ledger.row('issuer', {
    registry_id: other,
    schema_id: schema,
    did: gone,
    prices: {},
    from_block: 3,
    to_block: null,
  })
  const standing = async (at: number) =>
    (await ask(`{ participants(registryId: "${other}", at: ${at}) { nodes { suspended deactivated } } }`)).participants
      .nodes
  expect(await standing(8)).toEqual([{ suspended: false, deactivated: false }])
  expect(await standing(9)).toEqual([{ suspended: true, deactivated: true }])
})

test('a page knows what stands before it', async () => {
  const info = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }'
  const page = async (after: string) =>
    (await ask(`{ registries(first: 2${after}) { edges { cursor } ${info} } }`)).registries
  const first = await page('')
  const [start, end] = first.edges.map(({ cursor }: { cursor: string }) => cursor)
  expect(first.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: false, startCursor: start, endCursor: end })
  expect((await page(`, after: "${end}"`)).pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
})

test('every argument, and every type that holds arguments, is described', async () => {
  const { types } = (await ask(getIntrospectionQuery())).__schema
  const own = types.filter(({ name }: { name: string }) => !name.startsWith('__'))
  const nameless = own.flatMap(({ name, fields, inputFields }: IntrospectedType) => [
    ...(inputFields ?? []).filter(({ description }) => !description).map((field) => `${name}.${field.name}`),
    ...(fields ?? []).flatMap((field) =>
      field.args
        .filter(({ description, type }) => !description && type.kind !== 'INPUT_OBJECT')
        .map((arg) => `${name}.${field.name}(${arg.name})`),
    ),
  ])
  expect(nameless).toEqual([])
})

test('the OpenAPI document names it', async () => {
  const { paths } = (await opened().app.inject({ url: '/openapi.json' })).json()
  expect(paths['/graphql'].post).toMatchObject({ operationId: 'queryGraphql', 'x-tenancy': 'public', security: [] })
})
