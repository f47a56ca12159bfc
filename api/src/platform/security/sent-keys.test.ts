import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { Type } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { operation } from '../http/operation.js'
import { createLog } from '../process/log.js'
import { appWithTeam } from '../testing/for-all-tests.js'

const echo = { tags: ['notes'], summary: 'Echo', tenancy: 'owned', response: { 200: Type.Any() } } as const
const getNote = operation({
  ...echo,
  method: 'GET',
  url: '/notes/:note',
  operationId: 'getNote',
  auth: 'optional',
  role: 'member',
  params: Type.Object({ note: Type.String() }),
  querystring: Type.Object({ at: Type.Optional(Type.String()), token: Type.Optional(Type.String()) }),
  handler: async (ctx, { query }) => ({ team: ctx.team ?? null, ...query }),
})
const readNote = operation({
  ...echo,
  method: 'GET',
  url: '/read',
  operationId: 'readNote',
  auth: 'public',
  handler: async () => ({}),
})
const failNote = operation({
  ...echo,
  method: 'GET',
  url: '/fail',
  operationId: 'failNote',
  auth: 'public',
  input: 'standard',
  handler: async () => {
    throw new Error('it breaks')
  },
})

let logged = ''
const log = createLog('trace', 'test', {
  write: (line) => {
    logged += line
  },
})
const world = appWithTeam([{ operations: [getNote, readNote, failNote] }], { log })
let port: number
let key: string
beforeAll(async () => {
  const { app, team } = world()
  port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  key = team.apiKey
})

/** The request is written by hand, so that headers may stand twice. */
async function raw(target: string, ...headers: string[]): Promise<{ status: number; body: string }> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write([`GET ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', ''].join('\r\n'))
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n', 2)
  return { status: Number(head.split(' ')[1]), body }
}

describe('a key header that stands twice is refused, on every route', () => {
  test.each(['Authorization', 'SVC-API-TOKEN', 'SVC-WEB-TOKEN', 'X-MOBILE-SPONSOR-KEY'])('%s', async (name) => {
    const value = name === 'Authorization' ? `Bearer ${key}` : key
    for (const target of ['/notes/1', '/read', '/openapi.json', '/nothing'])
      for (const second of [value, 'Bearer other', '']) {
        const answer = await raw(target, `${name}: ${value}`, `${name.toLowerCase()}: ${second}`)
        expect(answer).toMatchObject({ status: 400, body: expect.stringMatching(/more than one .* header/i) })
      }
  })
})

test('an Authorization header other than one bearer token is refused, also where a key is optional', async () => {
  for (const value of [`Basic ${key}`, key, `Bearer ${key}, Bearer ${key}`, 'Bearer'])
    expect((await raw('/notes/1', `Authorization: ${value}`)).status).toBe(401)
  expect((await raw('/notes/1', `Authorization: Bearer ${key} `)).status).toBe(200)
})

/** Keys of teams and of sponsors, in each environment. */
const PREFIXES = ['ak_test_', 'ak_live_', 'sk_test_', 'sk_live_']
const keyWith = (prefix: string): string => prefix + key.slice(prefix.length)

describe('a key in the URL', () => {
  test.each([
    'SVC-API-TOKEN',
    'svc_api_token',
    'apiKey',
    'api_key',
    'api-key',
    'authorization',
    'access_token',
    'at',
    'token',
    '%61pikey',
  ])('as %s is refused, and stands in no log', async (name) => {
    for (const prefix of PREFIXES) await expectRefused(name, keyWith(prefix))
  })

  async function expectRefused(name: string, sent: string): Promise<void> {
    logged = ''
    for (const target of ['/notes/1', '/read', '/fail', '/openapi.json', '/nothing']) {
      const answer = await raw(`${target}?at=5&${name}=${sent}`)
      expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('header SVC-API-TOKEN') })
      expect(answer.body).not.toContain(sent)
    }
    expect(logged).toContain('"request"')
    expect(logged).not.toContain(sent)
  }

  test.each(PREFIXES)('that begins with %s stands in no log, whatever becomes of the request', async (prefix) => {
    logged = ''
    const sent = keyWith(prefix)
    const hidden = `%${sent.charCodeAt(0).toString(16)}${sent.slice(1)}`
    const paths = [`/notes/${sent}`, `/notes/${hidden}`, `/read?${sent}`, `/read#${sent}`, `/%E0%A4%A?x=${sent}`]
    const others = [`/%/${sent}`, `/${sent}`, `/fail?x=${hidden}`, `//${sent}`, `http://${sent}/read`, `/?a?b=${sent}`]
    for (const target of [...paths, ...others]) await raw(target, `Cookie: ${sent}`, `Referer: http://x/?k=${sent}`)
    expect(logged.split('\n').length).toBeGreaterThan(10)
    expect(logged).not.toContain(sent.slice(8))
  })

  test('no value of a parameter stands in a log, and what is no key is used', async () => {
    logged = ''
    expect((await raw('/notes/1?token=invitation-7&at=5')).body).toContain('invitation-7')
    await raw('/fail?password=secret-7&limit=sesame-7')
    expect(logged).not.toMatch(/(invitation|secret|sesame)-7/)
  })
})
