import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLInputField,
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInputObjectType,
  isListType,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { resolveAt } from '../../ledger/read/at.js'
import { issuer, registry, schema } from '../testing.js'
import { clock, graphWorld } from './graph.testing.js'
import { didNode } from './nodes.js'
import { RESPONSE_TYPE } from './refusals.js'
import { SCHEMA } from './schema.js'

const { opened, post, ask, refused } = graphWorld()

describe('questions that are too large or wrong', () => {
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
      `{ registries(first: 100) { nodes { ${times(48, 'id')} } } ${times(24, '__typename')} ${more} }`
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
    const participants = (did: string, first = 100) =>
      `{ participants(registryId: "${registry}", first: ${first}) { nodes { did { ${did} } } } }`
    await refused(participants(times(38, 'document')), 'The query costs 418301, more than 5000')
    await refused(`${participants('...on Did { ...f }')} fragment f on Did { ${times(38, 'document')} }`, /418301/)
    await ask(participants(times(3, 'document'), 14))
    await refused(participants(times(3, 'document'), 15), /costs 5081/)
    await refused(`{ revocationRegistries(first: 100) { nodes { ${times(5, 'status(index: 1)')} } } }`, /costs 28176/)
    await refused(`{ events(first: 100) { edges { node { ${times(5, 'after')} } } } }`, /costs 5301/)
    await refused(`{ ${times(5, 'revocationRegistries(first: 100) { nodes { id } }')} }`, /costs 13880/)
    const { index } = opened().ledger
    const node = didNode({ index }, await resolveAt(index, undefined, clock), issuer)
    expect(await node.document()).toBe(await node.document())
  })

  test('is refused where it tells too much of the schema, however it is nested; what tools ask is answered', async () => {
    const tools = { descriptions: true, schemaDescription: true, inputValueDeprecation: true, specifiedByUrl: true }
    await ask(getIntrospectionQuery({ ...tools, directiveIsRepeatable: true }))
    const nested = 'fragment N on __Type { name ofType { name ofType { name ofType { name } } } }'
    const fields = `fragment M on __Type { fields { name args { name type { ...N } } type { ...N } } } ${nested}`
    const many = (count: number, field: string) => `{ ${times(count, `${field} { ...M }`)} } ${fields}`
    const all = `fragment S on __Schema { types { ...M } } ${fields}`
    await ask(`{ __schema { ...S } } ${all}`)
    const before = process.cpuUsage()
    await refused(`{ ${times(20, '__schema { ...S }')} } ${all}`, /Introspection tells 12000 values at most/)
    await ask(many(10, '__type(name: "Query")'))
    await refused(many(70, '__type(name: "Query")'), /Introspection tells/)
    const named = `query ($n: String = "Query") ${many(70, '__type(name: $n)')}`
    await refused(named, /Introspection tells/)
    const back = `fragment D on __Type { ${times(10, 'fields { type { ...E } }')} } fragment E on __Type { ofType { ...M } }`
    await refused(`{ __schema { types { ...D } } } ${back} ${fields}`, /Introspection tells/)
    const { user, system } = process.cpuUsage(before)
    // Twenty times all types took seconds.
    expect((user + system) / 1e6).toBeLessThan(4)
    await refused('{ __schema { ...a } } fragment a on __Schema { ...b } fragment b on __Schema { ...a }', /levels/)
  })

  test('is refused where totals are too many', async () => {
    // The first reads one registry and its total; the second a node, with a registry and its total for each item of the
    // page.
    const counted = (first: number) =>
      `{ registries(first: ${first}) { totalCount nodes { participants { ...f } } } } fragment f on ParticipantConnection { totalCount }`
    await ask(counted(62))
    await ask(counted(63))
    await refused(counted(64), 'The query costs 5054, more than 5000')
    await ask('{ registries(first: 100) { totalCount nodes { id } } }')
    await refused(`{ registries { ${times(100, 'totalCount')} } }`, 'The query costs 5076, more than 5000')
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
    for (const bounds of ['from: "10", to: "2025-12-31"', 'from: "2026-06-01", to: "3"'])
      expect(await errors(`{ events(filter: { ${bounds} }) { total } }`)).toMatchObject([
        { message: 'from must not be later than to', extensions: { status: 400 } },
      ])
    for (const bounds of [
      'from: "10", to: "2026-01-01"',
      'from: "2025-12-31", to: "3"',
      'from: "999", to: "2025-12-31"',
    ])
      await ask(`{ events(filter: { ${bounds} }) { total } }`)
  })

  test('a filter by no event finds none', async () => {
    const none = 'events(filter: { event: [] }) { total nodes { id } }'
    const nothing = { total: 0, nodes: [] }
    expect(await ask(`{ ${none} registry(id: "${registry}") { ${none} } }`)).toEqual({
      events: nothing,
      registry: { events: nothing },
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
      const { data, errors } = (await post({ query, variables: { id } })).json()
      const extensions = { status: 400, type: 'invalid_request' }
      expect([data, errors]).toEqual([undefined, [{ message: expect.stringMatching(unstorable), extensions }]])
    }
  })

  test('a body that is no query is refused', async () => {
    for (const body of [{}, { query: 5 }, { query: '' }, { query: '{ __typename }', variables: [] }, [], 'x', '{'])
      expect((await post(body)).statusCode, JSON.stringify(body)).toBe(400)
    expect((await post({ query: '{ __typename }'.padEnd(70_000) })).statusCode).toBe(413)
    for (const body of [
      { query: '{ __typename }', operationName: 'Other' },
      { query: 'query A { __typename } query B { __typename }' },
      { query: 'query ($at: At) { point(at: $at) { block } }', variables: { at: {} } },
    ])
      expect((await post(body, RESPONSE_TYPE)).statusCode, JSON.stringify(body)).toBe(400)
  })
})

/** A value for every argument that must be given. */
const GOOD: Record<string, string> = {
  id: `"${registry}"`,
  registryId: `"${registry}"`,
  did: `"${issuer}"`,
  schema: `"${schema}"`,
  role: 'issuer',
  index: '1',
}

/** The argument with an empty text in it, at each place that can hold one. */
function emptied({ name, type }: GraphQLArgument | GraphQLInputField): string[] {
  const bare = getNullableType(type)
  const named = getNamedType(type)
  if (isInputObjectType(named))
    return Object.values(named.getFields()).flatMap((field) => emptied(field).map((text) => `${name}: { ${text} }`))
  if (!['ID', 'String', 'At'].includes(named.name)) return []
  return [`${name}: ${isListType(bare) ? '[""]' : '""'}`]
}

/**
 * Every field of a type with an empty text in one of its arguments, the others being good; and whether that argument is
 * required.
 */
function* emptyQuestions(typeName: 'Query' | 'Registry' | 'Did'): Generator<[question: string, isNeeded: boolean]> {
  const fields = buildSchema(SCHEMA).getType(typeName)
  if (!isCompositeType(fields) || !('getFields' in fields)) return
  for (const field of Object.values(fields.getFields()))
    for (const arg of field.args)
      for (const empty of emptied(arg)) {
        const others = field.args.filter(({ name, type }) => name !== arg.name && type !== getNullableType(type))
        const given = [...others.map(({ name }) => `${name}: ${GOOD[name]}`), empty]
        const named = getNamedType(field.type)
        const chosen = named.name === 'Authorization' ? ' { authorized }' : ' { __typename }'
        yield [
          `${field.name}(${given.join(', ')})${isCompositeType(named) ? chosen : ''}`,
          arg.type !== getNullableType(arg.type),
        ]
      }
}

const ROOTS = {
  Query: ['', ''],
  Registry: [`registry(id: "${registry}") { `, ' }'],
  Did: [`did(id: "${issuer}") { `, ' }'],
} as const

describe.each(Object.keys(ROOTS) as (keyof typeof ROOTS)[])('an empty text where %s asks for one', (typeName) => {
  const [before, after] = ROOTS[typeName]
  test.each([...emptyQuestions(typeName)])('is never a filter that was left out: %s', async (question, isNeeded) => {
    const { data, errors } = (await post({ query: `{ ${before}${question}${after} }` })).json()
    if (errors) expect(JSON.stringify(errors)).toMatch(/"status":400/)
    else {
      // A question for one thing by an unknown name is answered with null.
      expect(isNeeded).toBe(true)
      expect([null, { authorized: false }]).toContainEqual(Object.values(data)[0])
    }
  })
})
