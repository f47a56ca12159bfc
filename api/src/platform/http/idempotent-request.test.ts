import type { FastifyInstance } from 'fastify'
import { type TSchema, type TStringOptions, Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../app.js'
import { needsCaller } from '../security/access.js'
import { allServed } from '../testing/all-served.js'
import {
  type ScratchDatabase,
  serviceDatabase,
  type TestTeam,
  testEnvironment,
  testTeam,
} from '../testing/scratch-database.js'
import { type Operation, operation } from './operation.js'

const ID = 'ab'.repeat(32)

/** Every operation that honours Idempotency-Key, by its own route; each answers something new each time. */
const operations = allServed
  .flatMap(({ operations }) => operations)
  .filter(({ method, auth, idempotent }) => method !== 'GET' && needsCaller(auth) && idempotent !== false)
  .map(
    ({ body, bodyUnread, querystring, role, secretAnswer, ...op }): Operation => ({
      ...op,
      auth: 'key',
      ...(op.params && { params: anyText(op.params) }),
      handler: answerAnew,
    }),
  )

/** The same parameters, each of which takes any text. */
function anyText(params: object): TSchema {
  const names = Object.entries<object>(Object(Reflect.get(params, 'properties')))
  return Type.Object(Object.fromEntries(names.map(([name, shape]) => [name, Type.String(onlyKind(shape))])))
}

function onlyKind(shape: object): TStringOptions {
  return { 'x-identifier': Reflect.get(shape, 'x-identifier') }
}

const deciding = operation({
  method: 'PUT',
  url: '/deciding/:name',
  operationId: 'decide',
  tags: [],
  summary: '',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  tagged: true,
  ledgerWrite: true,
  mediaTypes: ['application/json', 'application/jwt'],
  params: Type.Object({ name: Type.String() }),
  querystring: Type.Object({ a: Type.Optional(Type.String()), b: Type.Optional(Type.String()) }),
  response: { 200: Type.Any() },
  handler: answerAnew,
})

let answered = 0
async function answerAnew() {
  return { answer: ++answered }
}

let scratch: ScratchDatabase
let app: FastifyInstance
let team: TestTeam
beforeAll(async () => {
  scratch = await serviceDatabase()
  app = await buildApp(testEnvironment(scratch), [{ operations: [...operations, deciding] }])
  team = await testTeam(scratch.db)
})
afterAll(async () => {
  await app.close()
  await scratch.close()
})

interface Sent {
  method: Operation['method']
  url: string
  key: string
  headers?: Record<string, string>
}

async function send({ method, url, key, headers }: Sent): Promise<string> {
  const answer = await app.inject({
    method,
    url,
    headers: { 'svc-api-token': team.apiKey, 'idempotency-key': key, ...headers },
    ...(headers?.['content-type'] !== undefined && { payload: '{}' }),
  })
  if (answer.statusCode !== 200) return answer.json().type
  return answer.headers['idempotency-replayed'] === 'true' ? 'replayed' : 'done'
}

const isIdentifier = ({ params }: Operation, name: string): boolean =>
  Object(Object(Object(params).properties)[name])['x-identifier'] !== undefined

const escaped = (letter: string): string => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`

/** Ways to write one path: any letter of it may be escaped, in digits of either case, and ids take two forms. */
function spellings(op: Operation): string[] {
  const write = (id: string, parameter: string): string =>
    op.url.replace(/:(\w+)/g, (_, name: string) => (isIdentifier(op, name) ? id : parameter))
  const [plain, other] = [write(`0x${ID}`, 'did:svc:a/b'.replace('/', '%2F')), 'did%3asvc%3Aa%2fb']
  const hasParameter = op.url.includes(':')
  return [
    plain,
    `${plain}/`,
    plain.replace(/[a-z]/, escaped),
    plain.replace(/[a-z](?=\/|$)/, escaped),
    `${plain}?`,
    ...(hasParameter ? [write(ID.toUpperCase(), other), write(`0x${ID}`, other.replace('did', '%64id'))] : []),
  ]
}

test.each(operations.map((op) => [`${op.method} ${op.url}`, op] as const))(
  '%s is one path in every spelling',
  async (_, op) => {
    const [first = '', ...others] = spellings(op)
    const request = { method: op.method, key: `same-${op.operationId}` }
    expect(await send({ ...request, url: first })).toBe('done')
    for (const url of others) expect([url, await send({ ...request, url })]).toEqual([url, 'replayed'])
  },
)

const JSON_TYPE = { 'content-type': 'application/json' }
const PLAIN: Sent = { method: 'PUT', url: '/deciding/x?a=1&b=2', key: '', headers: JSON_TYPE }

test.each<[string, Partial<Sent>]>([
  ['the order of its parameters', { url: '/deciding/x?b=2&a=1' }],
  ['saying that it is no dry run', { url: '/deciding/x?a=1&dryRun=false&b=2' }],
  ['a preference that changes nothing', { headers: { prefer: 'handling=lenient, respond-async' } }],
  ['what it is labelled as, where that means nothing', { headers: { accept: '*/*' } }],
])('%s does not make another request', async (name, change) => {
  const base = { ...PLAIN, key: name.replaceAll(' ', '-'), headers: { accept: '*/*' } }
  expect(await send(base)).toBe('done')
  expect(await send({ ...base, ...change, headers: { ...base.headers, ...change.headers } })).toBe('replayed')
})

test.each(['application/json', 'application/json; charset=utf-8', 'text/plain', 'application/x-www-form-urlencoded'])(
  'a body is the same as %s',
  async (type) => {
    const base = { ...PLAIN, key: `type-${encodeURIComponent(type)}` }
    expect(await send({ ...base, headers: { 'content-type': 'application/json' } })).toBe('done')
    expect(await send({ ...base, headers: { 'content-type': type } })).toBe('replayed')
  },
)

const DECIDES: [string, Partial<Sent>][] = [
  ['query', { url: '/deciding/x?a=1&b=3' }],
  ['fewer parameters', { url: '/deciding/x?a=1' }],
  ['If-Match', { headers: { 'if-match': '"wrong"' } }],
  ['any', { headers: { 'if-match': '*' } }],
  ['Prefer', { headers: { prefer: 'respond-async, handling=strict' } }],
  ['merge patch', { headers: { 'content-type': 'Application/merge-patch+json ; charset=utf-8' } }],
  ['form of the answer', { headers: { accept: 'application/jwt' } }],
]

test.each(DECIDES)('%s decides: with it, or without it, the key was used for another request', async (name, change) => {
  const requests = [PLAIN, { ...PLAIN, ...change, headers: { ...JSON_TYPE, ...change.headers } }]
  for (const [round, [one, other]] of [requests, requests.toReversed()].entries()) {
    if (one === undefined || other === undefined) throw new Error('there are two')
    const key = `${name.replaceAll(' ', '-')}-${round}`
    expect(await send({ ...one, key })).toBe('done')
    expect(await send({ ...other, key })).toBe('idempotency_mismatch')
    expect(await send({ ...one, key })).toBe('replayed')
  }
})

test('another parameter of the path is another request, also where it holds the letters of a path', async () => {
  const request = { ...PLAIN, key: 'elsewhere' }
  for (const url of ['/deciding/x', '/deciding/X', '/deciding/x%2Fy', '/deciding/x%252Fy', '/deciding/%3Aname'])
    expect(await send({ ...request, url })).toBe('done')
})

test('asking what would happen takes no key', async () => {
  const request = { ...PLAIN, key: 'asked-before' }
  await send({ ...request, url: `${PLAIN.url}&dryRun=true` })
  expect(await send(request)).toBe('done')
})
