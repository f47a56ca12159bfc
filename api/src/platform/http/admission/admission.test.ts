import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { buildApp } from '../../../app.js'
import { readConfig } from '../../../config.js'
import { databaseWithTeam } from '../../testing/for-all-tests.js'
import { PATIENT, testEnvironment, testTeam } from '../../testing/scratch-database.js'
import { UnreadBody } from '../input/request-body.js'
import { operation } from '../operation.js'

const world = databaseWithTeam()
const SHARE = 4

const MORE_THAN_SOCKETS_TAKE = Buffer.alloc(64_000_000)

/** An operation whose handler stays in work until it is told to end. */
async function service() {
  const inWork: { text: string; end: () => void }[] = []
  const handle = async (text: string) => {
    await new Promise<void>((end) => inWork.push({ text, end }))
    return { text }
  }
  const hold = operation({
    method: 'POST',
    url: '/hold',
    operationId: 'hold',
    tags: ['notes'],
    summary: 'Stay in work',
    auth: 'key',
    role: 'member',
    tenancy: 'owned',
    body: Type.Object({ text: Type.String(), rest: Type.Optional(Type.Boolean()) }),
    response: { 200: Type.Any() },
    idempotent: false,
    handler: async (ctx, { body }) => (body.rest ? ctx.rest(() => handle(body.text)) : handle(body.text)),
  })
  const seldom = operation({
    ...hold,
    url: '/seldom',
    operationId: 'holdSeldom',
    limits: { concurrencyPerAddress: 1 },
    handler: async (_ctx, { body }) => handle(String(Reflect.get(Object(body), 'text'))),
  })
  const answerFirst = operation({
    ...hold,
    url: '/answer-first',
    operationId: 'answerFirst',
    handler: async (ctx) => {
      void ctx.rest(() => handle('goes on'))
      return {}
    },
  })
  const keep = operation({
    ...hold,
    url: '/keep',
    operationId: 'keepBody',
    bodyUnread: true,
    bodyTypes: ['application/x-ndjson'],
    handler: async (_ctx, { body }) =>
      body instanceof UnreadBody ? [String(Buffer.from(body.bytes)), body.isLines] : [],
  })
  const made: string[] = []
  const much = operation({
    method: 'GET',
    url: '/much',
    operationId: 'getMuch',
    tags: ['notes'],
    summary: 'Answer much',
    auth: 'key',
    role: 'member',
    tenancy: 'owned',
    response: { 200: Type.Any() },
    handler: async (ctx) => {
      made.push('much')
      ctx.reply.type('application/octet-stream')
      return MORE_THAN_SOCKETS_TAKE
    },
  })
  const page = operation({
    ...much,
    url: '/page',
    operationId: 'getPage',
    querystring: Type.Object({ limit: Type.Integer({ maximum: 1000 }) }),
    handler: async () => handle('page'),
  })
  const present = operation({
    ...much,
    url: '/present',
    operationId: 'getPresent',
    auth: 'public',
    role: undefined,
    tenancy: 'public',
    presentState: async () => 'as it is',
    handler: async (ctx) => {
      made.push('present')
      ctx.reply.keepWhile('as it is')
      return {}
    },
  })
  const { scratch, team } = world()
  const environment = testEnvironment(scratch, {
    config: readConfig({
      DATABASE_URL: scratch.tenantUrl,
      SYSTEM_DATABASE_URL: scratch.systemUrl,
      ...PATIENT,
      REQUESTS_WAITING_PER_ADDRESS: '20',
    }),
  })
  const app = await buildApp(environment, [{ operations: [hold, seldom, answerFirst, keep, much, page, present] }])
  const post = (text: string, from: { address?: string; key?: string; rest?: boolean; length?: number } = {}) =>
    app.inject({
      method: 'POST',
      url: '/hold',
      remoteAddress: from.address ?? '192.0.2.1',
      headers: { 'svc-api-token': from.key ?? team.apiKey },
      payload: { text: text.padEnd(from.length ?? 0), ...(from.rest && { rest: true }) },
    })
  /** Sends a request over a connection of its own, or a part of one. */
  const begin = async (body: string, { url = '/hold', length = body.length } = {}): Promise<Socket> => {
    const at = app.server.listening ? app.listeningOrigin : await app.listen({ host: '127.0.0.1', port: 0 })
    const { port, hostname } = new URL(at)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {}).resume()
    const isSeen = new Promise((resolve) => app.server.once('request', resolve))
    const head = `POST ${url} HTTP/1.1\r\nHost: a\r\nSVC-API-TOKEN: ${team.apiKey}\r\nContent-Type: application/json`
    socket.write(`${head}\r\nContent-Length: ${length}\r\n\r\n${body}`)
    await isSeen
    return socket
  }
  const texts = () => inWork.map(({ text }) => text.trim())
  /** Lets all requests end, also those that enter work by that. */
  const endAll = async (answers: Promise<unknown>[]) => {
    let isOver = false
    void Promise.all(answers).then(() => {
      isOver = true
    })
    while (!isOver) {
      for (const { end } of inWork.splice(0)) end()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { app, inWork, post, begin, texts, endAll, made }
}

test('an address with many requests has its share in work, and one of another team from another address is in work at once', async () => {
  const { app, inWork, post, texts } = await service()
  const { apiKey } = await testTeam(world().scratch.db)
  const flood = Array.from({ length: 15 }, () => post('flood'))
  await expect.poll(texts).toHaveLength(SHARE)
  const innocent = post('innocent', { address: '192.0.2.2', key: apiKey })
  await expect.poll(texts).toEqual([...Array.from({ length: SHARE }, () => 'flood'), 'innocent'])
  const answered: unknown[] = []
  for (const one of [...flood, innocent]) void one.then(({ statusCode }) => answered.push(statusCode))
  while (answered.length < 16) {
    expect(inWork.length).toBeLessThanOrEqual(SHARE + 1)
    inWork.shift()?.end()
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(new Set(answered)).toEqual(new Set([200]))
  await app.close()
})

test('a team has one share, from however many addresses its key is used', async () => {
  const { app, post, texts, endAll } = await service()
  const { apiKey } = await testTeam(world().scratch.db)
  const all = Array.from({ length: 8 }, (_, n) => post('flood', { address: `192.0.2.${n + 10}` }))
  await expect.poll(texts).toHaveLength(SHARE)
  all.push(post('innocent', { address: '192.0.2.2', key: apiKey }))
  await expect.poll(texts).toContain('innocent')
  expect(texts()).toHaveLength(SHARE + 1)
  await endAll(all)
  await app.close()
})

test('a request in work with a large body is alone in the share of its address', async () => {
  const { app, post, texts, endAll } = await service()
  const all = [post('large', { length: 200_000 }), post('large', { length: 200_000 }), post('small')]
  await expect.poll(texts).toEqual(['large'])
  await endAll(all)
  await app.close()
})

test('a request that waits for the ledger has no place in work', async () => {
  const { app, post, texts, endAll } = await service()
  const all = Array.from({ length: 10 }, () => post('waits', { rest: true }))
  await expect.poll(texts).toHaveLength(10)
  await endAll(all)
  await app.close()
})

test('an answer about the present that still holds is given again without a place in work', async () => {
  const { app, made, post, texts, endAll } = await service()
  const present = () => app.inject({ url: '/present', remoteAddress: '192.0.2.1' })
  expect((await present()).statusCode).toBe(200)
  const flood = Array.from({ length: 10 }, () => post('flood'))
  await expect.poll(texts).toHaveLength(SHARE)
  expect((await present()).statusCode).toBe(200)
  expect(made).toEqual(['present'])
  expect(texts()).toHaveLength(SHARE)
  await endAll(flood)
  await app.close()
})

test('more than may wait is refused with 429 and Retry-After', async () => {
  const { app, post, texts, endAll } = await service()
  const all = Array.from({ length: SHARE }, () => post('in work'))
  await expect.poll(texts).toHaveLength(SHARE)
  const more = Array.from({ length: 40 }, () => post('waits'))
  const refused = await Promise.race(more.map((one) => one.then((answer) => answer)))
  expect(refused.statusCode).toBe(429)
  expect(refused.headers['retry-after']).toBe('1')
  expect(refused.json()).toMatchObject({ type: 'rate_limited' })
  await endAll([...all, ...more])
  await app.close()
})

test('a body that comes too slowly is cut off with 408', async () => {
  const { app } = await service()
  const { port, hostname } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), hostname)
  const told = new EventEmitter()
  socket.on('data', (chunk) => told.emit('text', String(chunk)))
  let answer = ''
  socket.on('data', (chunk) => {
    answer += String(chunk)
  })
  const first = once(told, 'text')
  socket.write(
    `POST /hold HTTP/1.1\r\nHost: a\r\nSVC-API-TOKEN: ${world().team.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 500000\r\n\r\n{`,
  )
  expect(String(await first)).toMatch(/^HTTP\/1\.1 408 /)
  await once(socket, 'close')
  expect(answer).toMatch(/\{"status":408,"type":"request_timeout","message":"The body comes too slowly"\}$/)
  await app.close()
})

test.each([
  ['addresses of 17 kB', `GET /${'x'.repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 'headers_too_large'],
  ['headers of 17 kB', `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ['no HTTP at all', 'hello\r\n\r\n', 400, 'invalid_request'],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    400,
    'invalid_request',
  ],
])('%s are refused in the one error body', async (_what, text, status, type) => {
  const { app } = await service()
  const { port, hostname } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), hostname)
  let answer = ''
  socket.on('data', (chunk) => {
    answer += String(chunk)
  })
  socket.write(text)
  await once(socket, 'close')
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(head).toMatch(/\r\nX-Request-ID: [0-9a-f-]{36}\r\n/)
  expect(JSON.parse(body)).toEqual({ status, type, message: expect.any(String) })
  await app.close()
})

test('a body that never ends does not keep the service from ending', async () => {
  const { app } = await service()
  const { port, hostname } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), hostname)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => {}).resume()
  const inWork = new Promise((resolve) => app.server.once('request', resolve))
  socket.write(
    `POST /hold HTTP/1.1\r\nHost: a\r\nSVC-API-TOKEN: ${world().team.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 500000\r\n\r\n{`,
  )
  await inWork
  const sending = setInterval(() => socket.write(' '.repeat(9000)), 500)
  await app.close()
  await closed
  clearInterval(sending)
})

test('a client that goes away frees no place: begun work goes on in its share, and no more is begun', async () => {
  const { app, inWork, post, begin, texts, endAll } = await service()
  const gone = await Promise.all(Array.from({ length: SHARE }, (_, n) => begin(`{"text":"gone ${n}"}`)))
  await expect.poll(texts).toHaveLength(SHARE)
  for (const socket of gone) socket.destroy()
  const all = [post('later', { address: '127.0.0.1' })]
  const { apiKey } = await testTeam(world().scratch.db)
  all.push(post('innocent', { address: '192.0.2.2', key: apiKey }))
  await expect.poll(texts).toContain('innocent')
  expect(texts()).not.toContain('later')
  inWork.shift()?.end()
  await expect.poll(texts).toContain('later')
  await endAll(all)
  await app.close()
})

test('work that rests longer than its request lasts keeps no place when it comes back', async () => {
  const { app, post, texts, endAll } = await service()
  const headers = { 'svc-api-token': world().team.apiKey }
  const request = { method: 'POST', url: '/answer-first', remoteAddress: '192.0.2.1', headers } as const
  const answers = Array.from({ length: SHARE }, () => app.inject({ ...request, payload: { text: '' } }))
  for (const { statusCode } of await Promise.all(answers)) expect(statusCode).toBe(200)
  await endAll([expect.poll(texts).toEqual([])])
  const later = post('later')
  await expect.poll(texts).toEqual(['later'])
  await endAll([later])
  await app.close()
})

test.each([
  [127, SHARE],
  [128, SHARE / 2],
  [1000, 1],
])('of pages of %i rows a caller has %i in work at once', async (limit, atOnce) => {
  const { app, texts, endAll } = await service()
  const headers = { 'svc-api-token': world().team.apiKey }
  const all = Array.from({ length: 8 }, () => app.inject({ url: `/page?limit=${limit}`, headers }))
  await expect.poll(texts).toHaveLength(atOnce)
  const { apiKey } = await testTeam(world().scratch.db)
  const other = { headers: { 'svc-api-token': apiKey }, remoteAddress: '192.0.2.2' }
  all.push(app.inject({ url: '/page?limit=1', ...other }))
  await expect.poll(texts).toHaveLength(atOnce + 1)
  await endAll(all)
  await app.close()
})

test('large answers that are not read hold up whoever asked for them, and nobody else', async () => {
  const { app, made } = await service()
  const { port, hostname } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const sockets = Array.from({ length: SHARE + 3 }, () => connect(Number(port), hostname).on('error', () => {}))
  for (const socket of sockets)
    socket.write(`GET /much HTTP/1.1\r\nHost: a\r\nSVC-API-TOKEN: ${world().team.apiKey}\r\n\r\n`)
  // One request takes all the room that a caller has, and as many as it may have in work wait for that.
  await expect.poll(() => made).toHaveLength(1 + SHARE)
  const { apiKey } = await testTeam(world().scratch.db)
  const url = '/much'
  const other = await app.inject({ url, headers: { 'svc-api-token': apiKey }, remoteAddress: '192.0.2.2' })
  expect(other.statusCode).toBe(200)
  expect(made).toHaveLength(1 + SHARE + 1)
  for (const socket of sockets) socket.resume()
  await expect.poll(() => made).toHaveLength(sockets.length + 1)
  for (const socket of sockets) socket.destroy()
  await app.close()
})

test('so does whoever has one of few places for such requests', async () => {
  const { app, inWork, begin, texts, endAll } = await service()
  const socket = await begin('{"text":"gone"}', { url: '/seldom' })
  await expect.poll(texts).toEqual(['gone'])
  socket.destroy()
  const headers = { 'svc-api-token': world().team.apiKey }
  const again = (text: string) =>
    app.inject({ method: 'POST', url: '/seldom', remoteAddress: '127.0.0.1', headers, payload: { text } })
  const asked = performance.now()
  expect((await again('meanwhile')).statusCode).toBe(429)
  // Without the delay a client that asks again at once would be refused thousands of times a second.
  expect(performance.now() - asked).toBeGreaterThan(200)
  inWork.shift()?.end()
  await endAll([expect.poll(async () => (await again('afterwards')).statusCode).toBe(200)])
  await app.close()
})

test('small bodies that come slowly hold up nobody, of large ones one of an address comes after the other', async () => {
  const { app, post, begin, texts, endAll } = await service()
  const slow: Socket[] = []
  for (let n = 0; n < SHARE * 2; n++) slow.push(await begin('{', { length: 20_000 }))
  const all = [post('small', { address: '127.0.0.1' })]
  await expect.poll(texts).toEqual(['small'])
  slow.push(await begin('{', { length: 200_000 }))
  all.push(post('large', { address: '127.0.0.1', length: 200_000 }), post('other', { address: '127.0.0.1' }))
  await expect.poll(texts).toEqual(['small', 'other'])
  for (const socket of slow) socket.destroy()
  await endAll(all)
  await app.close()
})

test('an operation that has a thread read its body gets it as it came', async () => {
  const { app } = await service()
  const keep = async (payload: string, type: string) =>
    (
      await app.inject({
        method: 'POST',
        url: '/keep',
        headers: { 'svc-api-token': world().team.apiKey, 'content-type': type },
        payload,
      })
    ).json()
  expect(await keep('{"a":1,"a":2', 'application/json')).toEqual(['{"a":1,"a":2', false])
  expect(await keep('x\ny', 'application/x-ndjson')).toEqual(['x\ny', true])
  expect(await keep('a=1', 'application/x-www-form-urlencoded')).toEqual(['a=1', false])
  expect(await keep('', 'application/json')).toEqual(['', false])
  expect(await keep('x', 'image/png')).toMatchObject({ status: 415 })
  await app.close()
})

test('lines of JSON are read only where they are asked for', async () => {
  const { app } = await service()
  const headers = { 'svc-api-token': world().team.apiKey, 'content-type': 'application/x-ndjson' }
  const answer = await app.inject({ method: 'POST', url: '/hold', headers, payload: '{"text":"x"}' })
  expect(answer.statusCode).toBe(415)
  await app.close()
})
