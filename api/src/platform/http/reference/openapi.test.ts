/** Checks the whole OpenAPI document, as generators and linters read it. */

import { parse } from 'graphql'
import { Check } from 'typebox/schema'
import { expect, test } from 'vitest'
import { ledgerRefusal } from '../../../actions/ledger-refusal.js'
import { actions } from '../../../actions/operations.js'
import { SCHEMA } from '../../../audit/graphql/schema.js'
import { ERRORS, type ErrorType } from '../../errors.js'
import { allServed } from '../../testing/all-served.js'
import { appWithTeam } from '../../testing/for-all-tests.js'
import { openApiDocument } from './openapi.js'

interface Described {
  operationId: string
  tags: string[]
  parameters?: { name: string; description?: string }[]
  requestBody?: { content: Record<string, { schema: object; examples?: Record<string, object> }> }
  responses: Record<
    string,
    { 'x-types'?: ErrorType[]; content?: Record<string, { schema?: object }>; headers?: Record<string, object> }
  >
}

const described = allServed.flatMap(({ operations, described = [] }) => [...operations, ...described])
const sent = allServed.flatMap((part) => part.sent ?? [])
const document = openApiDocument(described, { apiUrl: 'https://accredit.example', environment: 'sandbox' }, sent)
const text = JSON.stringify(document)
const operations: Described[] = Object.values(
  JSON.parse(text).paths as Record<string, Record<string, Described>>,
).flatMap((methods) => Object.values(methods))

/** Every object in a schema, with the way to it; an example is none. */
function* objectsIn(value: unknown, way = ''): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [way, { ...value }]
  for (const [name, member] of Object.entries(value))
    if (name !== 'examples') yield* objectsIn(member, `${way}/${name}`)
}

test('names no member that every object inherits', () => {
  const inherited = [...objectsIn(JSON.parse(text))].flatMap(([way, { properties, required }]) =>
    [...Object.keys(Object(properties)), ...(Array.isArray(required) ? required : [])]
      .filter((name) => name in Object.prototype)
      .map((name) => `${way} ${name}`),
  )
  expect(inherited).toEqual([])
})

test('has no type that JSON Schema does not know', () => {
  const types = [...objectsIn(operations)].flatMap(([, { type }]) => (typeof type === 'string' ? [type] : []))
  const known = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null']
  const places = [...objectsIn(operations)].filter(
    ([way, { type }]) => typeof type === 'string' && !known.includes(type) && !way.endsWith('/properties'),
  )
  expect(types.length).toBeGreaterThan(500)
  expect(places).toEqual([])
})

test('requires of requests nothing that has a default', () => {
  for (const { operationId, requestBody } of operations)
    for (const [way, { required, properties }] of objectsIn(requestBody?.content)) {
      if (!Array.isArray(required) || typeof properties !== 'object' || properties === null) continue
      const members = new Map<string, { default?: unknown }>(Object.entries(properties))
      const needless = required.filter((name) => members.get(name)?.default !== undefined)
      expect([operationId, way, needless]).toEqual([operationId, way, []])
    }
})

/** The answer of an operation that is done. */
const doneIn = (responses: Described['responses']) => responses['200'] ?? responses['201']

test('gives every operation an id of its own, and every JSON answer a schema', () => {
  const ids = operations.map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { operationId, responses } of operations) {
    const { content } = doneIn(responses) ?? {}
    const schema = content?.['application/json']?.schema
    const hasAnotherForm = Object.keys(content ?? {}).some((type) => type !== 'application/json')
    // The specification wants no content there.
    if (operationId === 'deleteWebhook') expect(content).toBe(undefined)
    else if (!hasAnotherForm) expect([operationId, schema]).toEqual([operationId, expect.any(Object)])
  }
})

/**
 * The map of members itself is skipped, since a member may have that name; the ledger's metadata explain their own
 * parts.
 */
const isMembers = (way: string, value: unknown): value is object =>
  typeof value === 'object' && value !== null && !/\/properties$|\/x-params-by-action\//.test(way)

test('describes every parameter and every member, and gives an example of every body', () => {
  const undescribed = operations.flatMap(({ operationId, parameters = [], requestBody, responses }) => [
    ...parameters.filter(({ description }) => !description).map(({ name }) => `${operationId} ?${name}`),
    ...[...objectsIn({ requestBody, answer: doneIn(responses) })].flatMap(([way, { properties }]) =>
      Object.entries(isMembers(way, properties) ? properties : {})
        .filter(([, member]) => typeof Reflect.get(Object(member), 'description') !== 'string')
        .map(([name]) => `${operationId} ${way}/${name}`),
    ),
  ])
  expect(undescribed).toEqual([])
  const bodies = operations.filter(({ requestBody }) => requestBody)
  expect(bodies.length).toBeGreaterThan(25)
  const bare = bodies.filter(({ requestBody }) => !requestBody?.content['application/json']?.examples?.example1)
  expect(bare.map(({ operationId }) => operationId)).toEqual([])
})

/** Words for people: descriptions, summaries and names of examples; a member may be called like one of these. */
const wordsOf = (value: unknown): string[] =>
  [...objectsIn(value)].flatMap(([way, { description, summary }]) =>
    way.endsWith('/properties')
      ? []
      : [description, summary, Object(description).value].filter((word) => typeof word === 'string'),
  )

test('says first what a thing is: no description begins with a question word', () => {
  const inRest = wordsOf(JSON.parse(text))
  const inGraph = wordsOf(parse(SCHEMA, { noLocation: true }))
  expect(inRest.length).toBeGreaterThan(1_000)
  expect(inGraph.length).toBeGreaterThan(100)
  expect(
    [...inRest, ...inGraph].filter((words) => /^(what|who|whom|whose|where|how|when|which)\b/i.test(words)),
  ).toEqual([])
})

test('has every tag in the order in which a newcomer reads', () => {
  const used = new Set(operations.flatMap(({ tags }) => tags))
  const told: string[] = JSON.parse(text).tags.map(({ name }: { name: string }) => name)
  expect([...used].sort()).toEqual([...told].sort())
  expect(told.slice(0, 5)).toEqual(['dids', 'profiles', 'schemas', 'credentials', 'presentations'])
})

test('tells of each operation with which types it refuses, each under its status', () => {
  for (const { operationId, responses } of operations) {
    const told = Object.entries(responses).flatMap(([status, { 'x-types': types = [] }]) =>
      types.map((type) => [type, Number(status)] as const),
    )
    for (const [type, status] of told) expect([operationId, type, ERRORS[type][0]]).toEqual([operationId, type, status])
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '408', '431', '429', '500', '503']))
  }
  const createDid = operations.find(({ operationId }) => operationId === 'createDid')
  expect(createDid?.responses['409']?.['x-types']).toEqual([
    'conflict',
    'idempotency_mismatch',
    'idempotency_in_progress',
  ])
})

const world = appWithTeam([actions])

test('tells each member that a refusal has', async () => {
  const { app, team } = world()
  const { Error: schema } = (await app.inject('/openapi.json')).json().components.schemas
  const closed = { ...schema, additionalProperties: false }
  closed.properties.problems.items.additionalProperties = false
  const send = async (payload: object) => {
    const headers = { 'svc-api-token': team.apiKey }
    return (await app.inject({ method: 'POST', url: '/ledger/actions?att=1', headers, payload })).json()
  }
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`zz${n}`, 1]))
  const refusals = [
    await send({ did: null, action: '', ...many }),
    await send({}),
    ledgerRefusal({ pallet: 'Did', name: 'WeakKey', docs: 'It proves nothing.' }).body(),
  ]
  for (const refusal of refusals) expect(Check(closed, refusal), JSON.stringify(refusal)).toBe(true)
  expect(refusals[0].problems).toHaveLength(20)
})

test('a list of events, and no other answer, may be an old one, and tells when it is', () => {
  const told = operations.filter(({ responses }) => 'Accredit-Stale' in (responses[200]?.headers ?? {}))
  expect(told.map(({ operationId }) => operationId).sort()).toEqual([
    'listDidHistory',
    'listLedgerEvents',
    'listRegistryHistory',
    'listTrustRegistryHistory',
  ])
})

test('an operation that can be asked about a point in time names the block of its answer, and says whether it is final', () => {
  const withoutAt = ['getRegistryDiff', 'queryAuthorization', 'queryRecognition']
  const asked = operations.filter(
    ({ operationId, parameters = [] }) =>
      withoutAt.includes(operationId) || parameters.some(({ name }) => name === 'at'),
  )
  expect(asked.map(({ operationId }) => operationId)).toEqual(expect.arrayContaining(withoutAt))
  expect(asked.length).toBeGreaterThan(10)
  for (const { operationId, responses } of asked)
    expect(Object.keys(responses[200]?.headers ?? {}), operationId).toEqual(
      expect.arrayContaining(['Accredit-Block', 'Accredit-Block-Time', 'Accredit-Final']),
    )
})
