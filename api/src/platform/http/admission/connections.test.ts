import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { boundedServer, type ConnectionBounds } from './connections.js'

const open: { server: Server; sockets: Socket[] }[] = []

afterEach(async () => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** A server whose answers wait until the test releases them, and a client for it. */
async function serve(given: Partial<ConnectionBounds> = {}) {
  const held: { request: IncomingMessage; response: ServerResponse }[] = []
  const handler = (request: IncomingMessage, response: ServerResponse) => void held.push({ request, response })
  const server = boundedServer(handler, { perAddress: 100, isProxy: () => false, ...given })
  const sockets: Socket[] = []
  open.push({ server, sockets })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  const client = async (localAddress = '127.0.0.1') => {
    const socket = connect({ port: address.port, host: '127.0.0.1', localAddress })
    socket.on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
    return socket
  }
  /** Answers the first request that waits, when there is one. */
  const answer = async (body: string | Buffer = '') => {
    await expect.poll(() => held.length).toBeGreaterThan(0)
    const { request, response } = held.shift() ?? {}
    response?.end(body)
    return request?.url
  }
  return { held, client, answer }
}

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`

test('requests that a connection sends ahead are in work one at a time, in order, and all are answered', async () => {
  const { held, client, answer } = await serve()
  const socket = await client()
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  socket.write(Array.from({ length: 12 }, (_, n) => get(`/${n}`)).join(''))
  for (let n = 0; n < 12; n++) {
    await expect.poll(() => held.length).toBe(1)
    expect(await answer()).toBe(`/${n}`)
  }
  await expect.poll(() => text.split('HTTP/1.1 200').length - 1).toBe(12)
})

test('a body that follows a request in work is read when its turn comes', async () => {
  const { held, client, answer } = await serve()
  const socket = await client()
  const body = 'x'.repeat(300_000)
  socket.write(`${get('/first')}POST /second HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  expect(await answer()).toBe('/first')
  await expect.poll(() => held.length).toBe(1)
  let length = 0
  for await (const chunk of held[0]?.request ?? []) length += chunk.length
  expect(length).toBe(body.length)
})

test('a client that reads no answers is not read either', async () => {
  const { client, answer } = await serve()
  const socket = await client()
  socket.pause()
  let sent = 0
  const send = (): void => {
    const goes = socket.write(get(`/${sent++}`, `X: ${'x'.repeat(10_000)}\r\n`))
    if (goes) setImmediate(send)
    else socket.once('drain', send)
  }
  send()
  // The kernel takes some answers for it, and then no more.
  const large = Buffer.alloc(8_000_000)
  expect(await answer(large)).toBe('/0')
  await expect.poll(() => socket.writableNeedDrain).toBe(true)
  const before = sent
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(sent).toBe(before)
})

test('a connection that sends far ahead is cut off, and its address is not read for a while; another address is', async () => {
  const { held, client, answer } = await serve()
  const socket = await client()
  socket.write(get('/').repeat(2000))
  await once(socket, 'close')
  expect(held).toHaveLength(1)
  held.length = 0
  const again = await client()
  again.write(get('/again'))
  const other = await client('127.0.0.2')
  other.write(get('/other'))
  expect(await answer()).toBe('/other')
  expect(held).toHaveLength(0)
})

test('a connection that is cut off takes the idle ones of its address with it, and work of the others is finished', async () => {
  const { held, client, answer } = await serve()
  const [idle, busy, other] = [await client(), await client(), await client('127.0.0.2')]
  busy.write(get('/busy'))
  await expect.poll(() => held).toHaveLength(1)
  const ended = once(idle, 'close')
  const ahead = await client()
  ahead.write(get('/').repeat(2000))
  await Promise.all([ended, once(ahead, 'close')])
  const told = once(busy, 'data')
  const busyEnded = once(busy, 'close')
  expect(await answer()).toBe('/busy')
  await Promise.all([told, busyEnded])
  held.length = 0
  other.write(get('/other'))
  expect(await answer()).toBe('/other')
})

test('the address of a trusted proxy is read also after one of its connections was cut off', async () => {
  const { held, client, answer } = await serve({ isProxy: () => true })
  const socket = await client()
  socket.write(get('/').repeat(2000))
  await once(socket, 'close')
  held.length = 0
  const again = await client()
  again.write(get('/again'))
  expect(await answer()).toBe('/again')
})

test('an address has so many connections at work at once, and another one when one of them ends', async () => {
  const { held, client, answer } = await serve({ perAddress: 2 })
  const [first] = [await client(), await client()].map((socket, n) => {
    socket.write(get(`/${n}`))
    return socket
  })
  await expect.poll(() => held.length).toBe(2)
  await once(await client(), 'close')
  const other = await client('127.0.0.2')
  other.write(get('/other'))
  await expect.poll(() => held.length).toBe(3)
  first?.destroy()
  if (first) await once(first, 'close')
  const again = await client()
  again.write(get('/again'))
  await expect.poll(() => held.length).toBe(4)
  expect([await answer(), await answer(), await answer(), await answer()].sort()).toEqual([
    '/0',
    '/1',
    '/again',
    '/other',
  ])
})

test('the longest idle connection of an address with all its connections makes room for a new one', async () => {
  const { held, client, answer } = await serve({ perAddress: 3 })
  const sockets = [await client(), await client(), await client()]
  for (const n of [1, 0, 2]) {
    sockets[n]?.write(get(`/${n}`))
    if (n === 2) break
    expect(await answer()).toBe(`/${n}`)
    await once(sockets[n] as Socket, 'data')
  }
  await expect.poll(() => held.length).toBe(1)
  const closed: number[] = []
  for (const [n, socket] of sockets.entries()) socket.once('close', () => closed.push(n))
  for (const more of ['/3', '/4']) {
    const socket = await client()
    socket.write(get(more))
    await expect.poll(() => held.map(({ request }) => request.url)).toContain(more)
  }
  expect(closed).toEqual([1, 0])
  expect(await answer()).toBe('/2')
  await once(sockets[2] as Socket, 'data')
})

test('connections of a trusted proxy that names its clients are not counted, others are', async () => {
  const { held, client, answer } = await serve({ perAddress: 1, isProxy: (address) => address === '127.0.0.1' })
  for (let n = 0; n < 3; n++) {
    const socket = await client()
    socket.write(get(`/${n}`, 'X-Forwarded-For: 192.0.2.1\r\n'))
    expect(await answer()).toBe(`/${n}`)
  }
  const stranger = await client('127.0.0.2')
  stranger.write(get('/stranger', 'X-Forwarded-For: 192.0.2.1\r\n'))
  await expect.poll(() => held.length).toBe(1)
  await once(await client('127.0.0.2'), 'close')
  expect(await answer()).toBe('/stranger')
})
