import { didCalls } from '@accredit/chain'
import { describe, expect, test } from 'vitest'
import { someDidKey } from '../dids/testing.js'
import { pointerTo } from '../platform/http/input/pointer.js'
import { appWithTeam } from '../platform/testing/for-all-tests.js'
import { actions } from './operations.js'
import { callerSchema } from './spec-params.js'

const world = appWithTeam([actions])

async function act(action: string, params: unknown) {
  const { app, team } = world()
  const headers = { 'svc-api-token': team.apiKey }
  const payload = { did: someDidKey(), action, params: Object(params) }
  const answer = await app.inject({ method: 'POST', url: '/ledger/actions', headers, payload })
  return { status: answer.statusCode, body: answer.json() }
}

/** The reference's text on a parameter. */
interface Schema {
  type?: string
  description?: string
  pattern?: string
  const?: string
  minimum?: number
  format?: string
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
  propertyNames?: Schema
  additionalProperties?: Schema | false
  anyOf?: Schema[]
}

const DID = `did:svc:${'1'.repeat(32)}`

/** Good values for a parameter: each alternative, its own or one nested in it, stands in at least one of them. */
function samples(schema: Schema): unknown[] {
  if (schema.const !== undefined) return [schema.const]
  if (schema.anyOf) return schema.anyOf.flatMap(samples)
  if (schema.items) return samples(schema.items).map((item) => [item])
  if (schema.propertyNames && schema.additionalProperties) {
    const keys = samples(schema.propertyNames)
    const values = samples(schema.additionalProperties)
    return Array.from({ length: Math.max(keys.length, values.length) }, (_, n) => ({
      [String(keys[n % keys.length])]: values[n % values.length],
    }))
  }
  if (schema.properties) {
    const members = Object.entries(schema.properties).map(([name, member]) => ({ name, all: samples(member) }))
    const count = Math.max(1, ...members.map(({ all }) => all.length))
    return Array.from({ length: count }, (_, n) =>
      Object.fromEntries(members.map(({ name, all }) => [name, all[n % all.length]])),
    )
  }
  if (schema.type === 'boolean') return [true]
  if (schema.type === 'integer') return [1]
  const digits = /\{(\d+)\}/.exec(schema.pattern ?? '')?.[1]
  if (digits !== undefined) return ['1'.repeat(Number(digits))]
  if (schema.pattern !== undefined) return ['7']
  if (schema.format === 'uri') return ['https://university.example']
  return [schema.description?.startsWith('A DID') ? DID : 'USD']
}

type Place = readonly (string | number)[]

interface Member {
  object: Place
  name: string
  isOptional: boolean
  schema: Schema
}

/** Every named member in a value. */
function membersIn(schema: Schema, value: unknown, place: Place = []): Member[] {
  if (typeof value !== 'object' || value === null) return []
  const at = (key: string | number) => ({ value: Reflect.get(value, key), place: [...place, key] })
  const inside = (part: Schema, key: string | number) => membersIn(part, at(key).value, at(key).place)
  if (schema.items && Array.isArray(value)) return inside(schema.items, 0)
  if (schema.anyOf) {
    const form = schema.anyOf.find(({ required }) => required?.every((name) => name in value))
    return form ? membersIn(form, value, place) : []
  }
  if (schema.properties)
    return Object.entries(schema.properties).flatMap(([name, member]) => [
      { object: place, name, isOptional: !schema.required?.includes(name), schema: member },
      ...inside(member, name),
    ])
  const values = schema.additionalProperties
  return values ? Object.keys(value).flatMap((key) => inside(values, key)) : []
}

function withAt(value: unknown, [head, ...rest]: Place, change: (object: object) => unknown): unknown {
  if (head === undefined) return change(Object(value))
  const changed = withAt(Reflect.get(Object(value), head), rest, change)
  return Array.isArray(value) ? value.with(Number(head), changed) : { ...Object(value), [head]: changed }
}

/** Swaps two different neighbours, at the end of the name where that gives another name. */
function transposed(name: string): string {
  for (let at = name.length - 1; at > 0; at--)
    if (name[at] !== name[at - 1]) return name.slice(0, at - 1) + name[at] + name[at - 1] + name.slice(at + 1)
  return `${name}x`
}

const isOwnText = ({ description }: Schema) => description === 'Text, written as it is'

describe.each(didCalls().map((call) => [call.name, call] as const))('%s', (name, call) => {
  const schema: Schema = callerSchema(call)
  const good = samples(schema)

  test('takes what its reference says', async () => {
    for (const params of good) {
      // The check for a key of this DID comes last, and none is here.
      const { status, body } = await act(name, params)
      expect([status, body.type], JSON.stringify([params, body])).toEqual([404, 'not_found'])
    }
  })

  test('refuses a misspelt member by its path, and names the one that was meant', async () => {
    for (const params of good)
      for (const member of membersIn(schema, params)) {
        const misspelt = transposed(member.name)
        const changed = withAt(params, member.object, (object) =>
          Object.fromEntries(Object.entries(object).map(([key, one]) => [key === member.name ? misspelt : key, one])),
        )
        const { status, body } = await act(name, changed)
        expect({ status, type: body.type }, JSON.stringify([changed, body])).toEqual({
          status: 400,
          type: 'unknown_member',
        })
        expect(body.problems).toContainEqual({
          path: pointerTo(['params', ...member.object, misspelt]),
          message: `There is no member ${misspelt}: did you mean ${member.name}?`,
        })
      }
  })

  test('refuses a blank member by its path, so that no condition vanishes', async () => {
    for (const params of good)
      for (const member of membersIn(schema, params))
        for (const blank of [null, '', 'undefined']) {
          // The result for a text of the caller's own is its content.
          if (blank !== null && isOwnText(member.schema)) continue
          const changed = withAt(params, member.object, (object) => ({ ...object, [member.name]: blank }))
          const { status, body } = await act(name, changed)
          expect(status, JSON.stringify([changed, body])).toBe(400)
          const path = pointerTo(['params', ...member.object, member.name])
          const told = body.problems.find((problem: { path: string }) => problem.path === path)
          expect(told, JSON.stringify([changed, body])).toBeDefined()
          if (member.isOptional) expect(told.message).toContain('is blank')
        }
  })
})

test('the reference shows that schemas are taken by their URIs and by their hashes', async () => {
  const { paths } = (await world().app.inject('/openapi.json')).json()
  const body = paths['/ledger/actions'].post.requestBody.content['application/json'].schema
  const { update } = body.properties.params['x-params-by-action']['TrustRegistry.set_schemas_metadata'].properties
  for (const [form, kind] of [update.anyOf[0], update.anyOf[1]].map((form, at) => [form, ['Set', 'Modify'][at]]))
    expect(form.properties[kind].propertyNames.anyOf).toMatchObject([{ format: 'uri' }, { pattern: expect.anything() }])
})

test('faults in several actions are told with the place of each', async () => {
  const { app, team } = world()
  const payload = {
    did: someDidKey(),
    actions: [
      { action: 'remove_trust_registry', params: { registryId: '1'.repeat(64) } },
      { action: 'remove_trust_registry', params: { registryId: '1'.repeat(64), 'of/whom': 1 } },
      { action: 'remove_everything', params: {} },
    ],
  }
  const headers = { 'svc-api-token': team.apiKey }
  const answer = await app.inject({ method: 'POST', url: '/ledger/actions', headers, payload })
  expect(answer.json()).toMatchObject({
    status: 400,
    type: 'unknown_member',
    problems: [{ path: '/actions/1/params/of~1whom' }, { path: '/actions/2/action' }],
  })
})

test('a body of more parts than any action takes is refused for their number alone', async () => {
  const many = (count: number, member: (index: number) => [string, unknown]) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => member(index)))
  const unknown = await act(
    'TrustRegistry.suspend_issuers',
    many(9_000, (index) => [`a${index}`, 1]),
  )
  expect([unknown.status, unknown.body.problems]).toEqual([
    400,
    [{ path: '/params', message: 'params has 9000 members: no action has so many' }],
  ])
  const schemas = { Set: many(9_000, (index) => [`s${index}`, 1]) }
  const wrong = await act('TrustRegistry.set_schemas_metadata', { registryId: '1'.repeat(64), schemas })
  expect([wrong.status, wrong.body.problems.length]).toEqual([400, 20])
  const issuers = Array.from({ length: 2_501 }, () => DID)
  const named = await act('TrustRegistry.suspend_issuers', { registryId: '1'.repeat(64), issuers })
  expect([named.status, named.body.message]).toEqual([413, 'params name more than 2,500 DIDs and schemas'])
})
