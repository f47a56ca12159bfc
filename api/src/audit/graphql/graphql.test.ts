import { didSvc, hex32Of, schemaId } from '@accredit/chain'
import type { FastifyInstance } from 'fastify'
import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../app.js'
import { resolveAt } from '../../ledger/at.js'
import { type TestIndex, testIndex } from '../../ledger/testing.js'
import { type ScratchDatabase, scratchDatabase, testEnvironment } from '../../platform/testing.js'
import { audit } from '../index.js'
import { didNode } from './nodes.js'

let scratch: ScratchDatabase
let ledger: TestIndex
let app: FastifyInstance

const id = (byte: number) => hex32Of(new Uint8Array(32).fill(byte))
const did = (byte: number) => didSvc(id(byte))
const [convener, issuer, delegate] = [did(1), did(2), did(3)]
const registry = id(20)
const list = id(30)
const SCHEMA_URI = 'https://schemas.example/Degree.json'
const schema = schemaId(SCHEMA_URI)
const clock = { now: () => new Date('2026-01-01T00:01:00Z') }

beforeAll(async () => {
  scratch = await scratchDatabase()
  ledger = await testIndex(scratch)
  await ledger.blocks(12, { start: new Date('2026-01-01T00:00:00Z') })
  const since = (from_block: number, to_block: number | null = null) => ({ from_block, to_block })
  const facts = { convener, pending_convener: null, gov_framework: 'https://x#1', version: 1 }
  for (const one of [convener, issuer, delegate]) {
    await ledger.row('did', { ...since(1), did: one, submitter: 'payer' })
    const key = { key_id: 1, kind: 'Ed25519' as const, public_key: id(7), relationships: 7, end_reason: null }
    await ledger.row('did_key', { ...since(1), did: one, ...key })
  }
  await ledger.row('trust_registry', { ...since(2, 6), registry_id: registry, name: 'Old name', ...facts })
  await ledger.row('trust_registry', { ...since(6), registry_id: registry, name: 'New name', ...facts })
  for (const byte of [21, 22, 23])
    await ledger.row('trust_registry', { ...since(2), registry_id: id(byte), name: 'Other', ...facts })
  const place = { registry_id: registry, schema_id: schema }
  await ledger.row('registry_schema', { ...since(3), ...place, is_public: false })
  await ledger.row('issuer', { ...since(3), ...place, did: issuer, prices: {} })
  await ledger.row('verifier', { ...since(4), ...place, did: convener })
  await ledger.row('delegation', { ...since(5), registry_id: registry, issuer, issuer_order: '0x00', delegate })
  await ledger.row('suspension', { ...since(8), registry_id: registry, did: issuer })
  const policy = { policy: [issuer], creator: issuer, add_only: false, kind: 'StatusList' as const, length: 131_072 }
  await ledger.row('revocation_registry', { ...since(4), registry_id: list, ...policy, version: 1 })
  await ledger.row('status_bit', { ...since(9), registry_id: list, index: 5 })
  for (const block of [2, 3, 8]) {
    const act = { actor: convener, key_id: 1, submitter: 'payer', trust_registry_id: registry }
    await ledger.event({
      block,
      index: 1,
      name: 'TrustRegistry.IssuerSuspended',
      ...act,
      subject: issuer,
      after: { a: 1 },
    })
  }
  const long = { name: 'Did.ServiceSet', actor: delegate, subject: delegate, after: { endpoint: 'x'.repeat(150_000) } }
  await ledger.event({ block: 9, index: 1, ...long })
  app = await buildApp(testEnvironment(scratch, { index: ledger.index, clock }), [audit])
})

afterAll(async () => {
  await app?.close()
  await ledger?.close()
  await scratch?.close()
})

const post = (payload: object | string) =>
  app.inject({ method: 'POST', url: '/graphql', payload, headers: { 'content-type': 'application/json' } })
const ask = async (query: string, variables?: object) => {
  const answer = await post({ query, variables })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}
const refused = async (query: string, message: RegExp | string) => {
  const answer = await post({ query })
  expect(answer.statusCode, answer.body).toBe(400)
  expect(answer.json().data).toBeNull()
  expect(answer.json().errors[0].message).toMatch(message)
}

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
            ...{ ...right, direct: false, via: issuer, suspended: false, effective: false },
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

describe('what is asked too much or wrongly', () => {
  const times = (count: number, field: string) => Array.from({ length: count }, (_, i) => `f${i}: ${field}`).join(' ')

  test('is refused before anything runs', async () => {
    await refused('{ nothing }', /Cannot query field/)
    await refused('{ registries { nodes { id', /Syntax Error/)
    await refused('query { registry { id } }', /required/)
    await refused('mutation { x }', /Only queries/)
    await refused(`{ registries(first: 100) { nodes { participants(first: 100) { nodes { suspended } } } } }`, /costs/)
    await refused(`query ($n: Int) { registries(first: $n) { nodes { events(first: $n) { nodes { id } } } } }`, /costs/)
    const twice = (level: number) => `fragment f${level} on Registry { ...f${level + 1} ...f${level + 1} }`
    const bomb = Array.from({ length: 40 }, (_, level) => twice(level)).join(' ')
    await refused(`{ registries { nodes { ...f0 } } } ${bomb} fragment f40 on Registry { id name version }`, /costs/)
    await refused(
      `{ registries { nodes { ...a } } } fragment a on Registry { ...b } fragment b on Registry { ...a }`,
      /levels/,
    )
    await refused(`{ ${'a '.repeat(1001)} }`, /tokens/)
    await refused(`{ ${'{a'.repeat(900)}`, /Syntax Error/)
    await refused(JSON.stringify({ kind: 'Document', definitions: [] }), /Syntax Error/)
    const nested = '{__schema{types{fields{type{fields{type{fields{type{fields{type{name}}}}}}}}}}}'
    await refused(nested, /introspection/i)
  })

  test('is refused one past each limit, and answered at it', async () => {
    const levels = (events: string) =>
      `{ registries(first: 1) { edges { node { participants(first: 1) { edges { node { did { events(first: 1) ${events} } } } } } } } }`
    await ask(levels('{ nodes { id } }'))
    await refused(levels('{ edges { node { id } } }'), /10 levels/)

    const dear = (more: string) =>
      `{ registries(first: 100) { nodes { ${times(48, 'id')} } } ${times(45, 'point { block }')} ${more} }`
    await ask(dear(''))
    await refused(dear('__typename'), 'The query costs 5001, more than 5000: ask for less at once')

    const long = (more: string) => `{ point { ${times(331, 'block')} block ${more} } }`
    await ask(long('time'))
    await refused(long('time time'), /tokens/)

    await ask('{ registries(first: 100) { nodes { id } } }')
    for (const first of [0, 101, -1]) {
      const { errors } = (await post({ query: `{ registries(first: ${first}) { nodes { id } } }` })).json()
      expect(errors).toMatchObject([{ message: 'first must be from 1 to 100', extensions: { status: 400 } }])
    }
  })

  test('is refused where a value is a reading or of any length, by however many names it is asked for', async () => {
    const participants = (did: string) =>
      `{ participants(registryId: "${registry}", first: 100) { nodes { did { ${did} } } } }`
    await refused(participants(times(38, 'document')), 'The query costs 39110, more than 5000')
    await refused(`${participants('...on Did { ...f }')} fragment f on Did { ${times(38, 'document')} }`, /39110/)
    await ask(participants(times(3, 'document')))
    await refused(`{ revocationRegistries(first: 100) { nodes { ${times(5, 'status(index: 1)')} } } }`, /costs 6100/)
    await refused(`{ events(first: 100) { edges { node { ${times(5, 'after')} } } } }`, /costs 5210/)
    await refused(`{ ${times(5, 'revocationRegistries(first: 100) { nodes { id } }')} }`, /costs 6000/)
    const node = didNode({ index: ledger.index }, await resolveAt(ledger.index, undefined, clock), issuer)
    expect(await node.document()).toBe(await node.document())
  })

  test('is refused where the answer is too long', async () => {
    const long = (fields: string) => `{ events(filter: { event: ["ServiceSet"] }, first: 1) { nodes { ${fields} } } }`
    await ask(long('after'))
    await refused(long(times(30, 'after')), 'The answer is longer than 4194304 bytes: ask for less at once')
  })

  test('has its reason told and nothing else', async () => {
    const errors = async (query: string) => {
      const answer = await post({ query })
      expect(answer.statusCode).toBe(200)
      return answer.json().errors
    }
    expect(await errors('{ registries(at: "2999-01-01T00:00:00Z") { nodes { id } } }')).toMatchObject([
      {
        message: "'at' lies in the future",
        path: ['registries'],
        extensions: { status: 400, type: 'invalid_request' },
      },
    ])
    expect(await errors('{ registries(first: 0) { nodes { id } } }')).toMatchObject([{ extensions: { status: 400 } }])
    expect(await errors('{ registries(after: "%") { nodes { id } } }')).toMatchObject([{ extensions: { status: 400 } }])
    expect(await errors('{ events(filter: { did: "x" }) { total } }')).toMatchObject([{ extensions: { status: 400 } }])
  })

  test('a filter by no event finds none', async () => {
    const none = 'events(filter: { event: [] }) { total nodes { id } }'
    const nothing = { total: 0, nodes: [] }
    expect(await ask(`{ ${none} registry(id: "${registry}") { ${none} } }`)).toEqual({
      ...{ events: nothing, registry: { events: nothing } },
    })
  })

  test('text that no database stores is refused, in the query as in its variables', async () => {
    const unstorable = /NUL or broken characters/
    await refused('{ registry(id: "\\u0000") { id } }', unstorable)
    await refused('{ participants(registryId: "\\u0000") { nodes { suspended } } }', unstorable)
    const question = `did: "${issuer}", schema: "${schema}", role: issuer`
    await refused(`{ authorization(registryId: "a\\u0000", ${question}) { reason } }`, unstorable)
    await refused('query ($id: ID! = "\\u0000") { registry(id: $id) { id } }', unstorable)
    const query = 'query ($id: ID!) { registry(id: $id) { id } }'
    for (const id of ['\u0000', 'a\ud800']) {
      const answer = await post({ query, variables: { id } })
      expect([answer.statusCode, answer.json().errors]).toEqual([400, [{ message: expect.stringMatching(unstorable) }]])
    }
  })

  test('a body that is no query is refused', async () => {
    for (const body of [{}, { query: 5 }, { query: '' }, { query: '{ __typename }', variables: [] }, [], 'x', '{'])
      expect((await post(body)).statusCode, JSON.stringify(body)).toBe(400)
    expect((await post({ query: '{ __typename }'.padEnd(70_000) })).statusCode).toBe(413)
    expect((await post({ query: '{ __typename }', operationName: 'Other' })).statusCode).toBeLessThan(500)
    expect((await post({ query: 'query A { __typename } query B { __typename }' })).statusCode).toBeLessThan(500)
    expect(
      (await post({ query: 'query ($at: At) { point(at: $at) { block } }', variables: { at: {} } })).statusCode,
    ).toBe(400)
  })
})

test('the OpenAPI document names it', async () => {
  const { paths } = (await app.inject({ url: '/openapi.json' })).json()
  expect(paths['/graphql'].post).toMatchObject({ operationId: 'queryGraphql', 'x-tenancy': 'public', security: [] })
})
