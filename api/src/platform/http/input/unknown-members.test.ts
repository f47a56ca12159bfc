import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { allServed } from '../../testing/all-served.js'
import { appWithTeam } from '../../testing/for-all-tests.js'
import { type Operation, operation } from '../operation.js'
import { inputClassOf } from './input-class.js'
import { ignoredHeader, prefersStrict } from './unknown-members.js'

const Echo = {
  tags: ['notes'],
  summary: 'Echo',
  tenancy: 'owned',
  auth: 'key',
  role: 'member',
  response: { 200: Type.Any() },
} as const
const Rights = Type.Object({ issuer: Type.Optional(Type.Boolean()) })
const Note = Type.Object({
  name: Type.String(),
  status: Type.Optional(Type.String()),
  logo: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  rows: Type.Optional(Type.Array(Rights)),
  credential: Type.Optional(Type.Object({ id: Type.Optional(Type.String()) }, { additionalProperties: true })),
})
const query = Type.Object({ at: Type.Optional(Type.String()), issuerDID: Type.Optional(Type.String()) })

const listNotes = operation({
  ...Echo,
  method: 'GET',
  url: '/notes',
  operationId: 'listNotes',
  querystring: query,
  handler: async (_ctx, input) => input,
})
const createNote = operation({
  ...Echo,
  method: 'POST',
  url: '/notes',
  operationId: 'createNote',
  body: Note,
  querystring: query,
  record: Type.Object({ id: Type.String(), nam: Type.String() }),
  handler: async (_ctx, { body, query }) => ({ body, query }),
})
const updateNote = operation({
  ...Echo,
  method: 'PATCH',
  url: '/notes',
  operationId: 'updateNote',
  body: Note,
  handler: async (_ctx, { body }) => ({ body }),
})
const askNote = operation({
  ...Echo,
  method: 'POST',
  url: '/notes/ask',
  operationId: 'askNote',
  input: 'deciding',
  body: Note,
  handler: async (_ctx, { body }) => ({ body }),
})
const endNote = operation({
  ...Echo,
  method: 'DELETE',
  url: '/notes',
  operationId: 'endNote',
  handler: async () => ({}),
})

const world = appWithTeam([{ operations: [listNotes, createNote, updateNote, askNote, endNote] }])

type Sent = { body?: object; prefer?: string }
async function send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, { body, prefer }: Sent = {}) {
  const { app, team } = world()
  const headers = { 'svc-api-token': team.apiKey, ...(prefer && { prefer }) }
  const answer = await app.inject({ method, url, headers, ...(body && { payload: body }) })
  return { status: answer.statusCode, ignored: answer.headers['accredit-ignored'], body: answer.json() }
}

const told = (answer: { body: { problems: { path: string }[] } }) => answer.body.problems.map(({ path }) => path)

describe('a deciding operation', () => {
  test.each(['att=5', 'At=5', 'at=5&zone=3', 'ta=5'])('?%s is refused by name', async (text) => {
    const answer = await send('GET', `/notes?${text}`)
    expect(answer).toMatchObject({ status: 400, body: { type: 'unknown_member' } })
    expect(told(answer)).toEqual([`?${text.includes('zone') ? 'zone' : text.split('=')[0]}`])
  })

  test.each(['at=', 'at=undefined', 'issuerDID='])('?%s is refused, since it is blank', async (text) => {
    expect(await send('GET', `/notes?${text}`)).toMatchObject({ status: 400, body: { type: 'invalid_request' } })
  })

  test('the blank parameters that clients in the field send are no question', async () => {
    expect(await send('GET', '/notes?=&=&issuerDID=undefined')).toMatchObject({ status: 200, body: { query: {} } })
  })

  test('members are refused at any depth, with their pointers, and so is null', async () => {
    const answer = await send('POST', '/notes/ask', {
      body: { name: 'n', 'st/atus': 'x', logo: null, rows: [{}, { isuer: true }] },
    })
    expect(answer).toMatchObject({ status: 400, body: { type: 'unknown_member' } })
    expect(told(answer)).toEqual(['/logo', '/st~1atus', '/rows/1/isuer'])
    expect(JSON.stringify(answer.body)).toContain('did you mean issuer?')
  })
})

describe('a writing operation', () => {
  test('a near miss is refused, everywhere in what is ours and nowhere else', async () => {
    expect(await send('POST', '/notes', { body: { name: 'n', stauts: 'x' } })).toMatchObject({
      status: 400,
      body: { type: 'unknown_member', message: 'There is no member stauts: did you mean status?' },
    })
    expect(told(await send('POST', '/notes', { body: { name: 'n', rows: [{ isuer: 1 }] } }))).toEqual(['/rows/0/isuer'])
    expect(told(await send('POST', '/notes?ta=1', { body: { name: 'n' } }))).toEqual(['?ta'])
    expect(await send('POST', '/notes', { body: { name: 'n', credential: { di: 1 } } })).toMatchObject({ status: 200 })
  })

  test('the rest is ignored and named, also a member of the record that is near a known one', async () => {
    const body = { name: 'n', nam: 'm', id: '7', 'größe,': 1, rows: [{ colour: 1 }] }
    const answer = await send('POST', '/notes?zone=1', { body })
    expect(answer).toMatchObject({ status: 200, body: { query: { zone: '1' } } })
    expect(answer.ignored).toBe('?zone, /nam, /id, /gr%C3%B6%C3%9Fe%2C, /rows/0/colour')
  })

  test('Prefer: handling=strict refuses what would be ignored', async () => {
    const prefer = 'respond-async, Handling = "strict"; x=1'
    expect(await send('POST', '/notes', { body: { name: 'n', id: '7' }, prefer })).toMatchObject({
      status: 400,
      body: { type: 'unknown_member', problems: [{ path: '/id' }] },
    })
    expect(await send('POST', '/notes', { body: { name: 'n' }, prefer })).toMatchObject({ status: 200 })
  })

  test('null is absent, and in PATCH clears what can be cleared', async () => {
    const body = { name: 'n', status: null, logo: null, rows: [{ issuer: null }], credential: { id: null } }
    expect((await send('POST', '/notes', { body })).body.body).toEqual({ name: 'n', rows: [{}], credential: {} })
    expect((await send('PATCH', '/notes', { body })).body.body).toEqual({
      name: 'n',
      logo: null,
      rows: [{}],
      credential: {},
    })
  })

  test('names only some of many, with their number, and refuses more than a thousand', async () => {
    const many = (count: number) => ({
      name: 'n',
      ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`colour${index}`, 1])),
    })
    const most = await send('POST', '/notes', { body: many(1000) })
    expect([most.status, String(most.ignored).split(', ').length]).toEqual([200, 21])
    const prefer = 'handling=strict'
    const strict = await send('POST', '/notes', { body: many(1000), prefer })
    expect([strict.status, strict.body.problems.length]).toEqual([400, 20])
    expect(strict.body.message).toMatch(/\(and 999 more, see problems\)$/)
    const message = 'More than 1000 members are not known here'
    expect(await send('POST', '/notes', { body: many(1001) })).toMatchObject({ status: 400, body: { message } })
    const rows = Array.from({ length: 30 }, () => ({ isuer: 1 }))
    const misspelt = await send('POST', '/notes', { body: { name: 'n', rows } })
    expect(misspelt.body.message).toMatch(/\(and 29 more, see problems\)$/)
    expect(misspelt.body.problems).toHaveLength(20)
  })

  test.each(['at=', 'at=undefined', 'at=1&issuerDID='])('?%s is refused, since it is blank', async (text) => {
    const answer = await send('POST', `/notes?${text}`, { body: { name: 'n' } })
    expect(answer).toMatchObject({ status: 400, body: { type: 'invalid_request' } })
    expect(told(answer)).toEqual([text.includes('issuerDID') ? '?issuerDID' : '?at'])
  })

  test('a parameter in the body is refused, also one that every writing operation has', async () => {
    expect(told(await send('POST', '/notes', { body: { name: 'n', at: '5' } }))).toEqual(['/at'])
    expect(told(await send('DELETE', '/notes', { body: { dryRun: true } }))).toEqual(['/dryRun'])
    expect(await send('POST', '/notes', { body: { name: 'n', rows: [{ at: 1 }] } })).toMatchObject({ status: 200 })
  })

  test('a body where none is asked for is named, too', async () => {
    expect(await send('DELETE', '/notes', { body: { force: true } })).toMatchObject({ status: 200, ignored: '/force' })
    expect(await send('DELETE', '/notes', { body: [1] })).toMatchObject({ status: 400 })
  })
})

describe('every operation of the service that changes something', () => {
  /** A key opens all of them here: what is tested comes after. */
  const opened = (op: Operation): Operation => ({ ...op, auth: op.auth === 'session' ? 'key' : op.auth })
  const everything = appWithTeam(allServed.map((part) => ({ ...part, operations: part.operations.map(opened) })))
  const parameters = allServed
    .flatMap(({ operations }) => operations)
    .filter((op) => op.method !== 'GET' && inputClassOf(op) !== 'standard')
    .flatMap((op) => Object.keys(Object(op.querystring).properties ?? {}).map((name) => ({ op, name })))
  const problemsOf = async ({ method, url }: Operation, query: string, payload?: object) => {
    const path = url.replace(/:\w+|\*/g, '1'.repeat(64))
    const headers = { 'svc-api-token': everything().team.apiKey }
    const answer = await everything().app.inject({
      method,
      url: `${path}${query}`,
      headers,
      ...(payload && { payload }),
    })
    expect(answer.statusCode, answer.body).toBe(400)
    return answer.json().problems.map(({ path }: { path: string }) => path)
  }

  test('has parameters to try', () => {
    expect(parameters.map(({ op, name }) => `${op.operationId} ?${name}`)).toContain('deleteDid ?fromBlockchain')
  })

  test.each(parameters.map(({ op, name }) => [op.operationId, name, op] as const))(
    '%s refuses a blank ?%s, and one in the body',
    async (_, name, op) => {
      for (const blank of ['', 'undefined']) expect(await problemsOf(op, `?${name}=${blank}`)).toContain(`?${name}`)
      if (!(name in Object(Object(op.body).properties)))
        expect(await problemsOf(op, '', { [name]: false })).toContain(`/${name}`)
    },
  )
})

test('Accredit-Ignored names at most 20, in 1 kB', () => {
  const many = Array.from({ length: 21 }, (_, index) => `/${index}`)
  expect(ignoredHeader(many.slice(0, 20))).not.toContain('%E2%80%A6')
  expect(ignoredHeader(many)).toBe(`${many.slice(0, 20).join(', ')}, %E2%80%A6`)
  expect(ignoredHeader(['/a', `/${'x'.repeat(1000)}`])).toBe('/a, %E2%80%A6')
})

test.each([
  ['handling=strict', true],
  ['handling=lenient', false],
  ['xhandling=strict', false],
  [undefined, false],
])('Prefer: %s asks for strictness: %s', (prefer, expected) => {
  expect(prefersStrict({ headers: { prefer } })).toBe(expected)
})
