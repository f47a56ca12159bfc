import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import '../webhook.tables.js'
import { numbersOf, openDeliveries } from '../testing.js'

const TIMEOUT_MS = 1000
const open = forAllTests(() => openDeliveries({ WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS) }))

/** Says something again and again, as long as it is listened to. */
function forever(socket: Socket, what: string | Buffer, everyMs: number): void {
  const timer = setInterval(() => socket.write(what), everyMs)
  socket.once('close', () => clearInterval(timer))
}

/** Says something as fast as it is taken. */
function flood(socket: Socket, what: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(what));
  }
  socket.on('drain', more)
  more()
}

const LATE = { status: null, error: `it did not answer within ${TIMEOUT_MS} ms` }
const BROKEN = { status: null, error: 'it cannot be reached' }

/** Receivers, by what each does with the connection, and what the log tells of it then. */
const RECEIVERS: Record<string, { scheme?: 'https'; does: (socket: Socket) => void; told: object }> = {
  'takes the connection and says nothing': { does: () => undefined, told: LATE },
  'begins no TLS': { scheme: 'https', does: () => undefined, told: LATE },
  'begins TLS, and goes on a byte at a time': {
    scheme: 'https',
    // The head of a handshake record of 64 bytes.
    does: (socket) => {
      socket.write(Buffer.from([22, 3, 3, 0, 64]))
      forever(socket, Buffer.from([2]), 300)
    },
    told: LATE,
  },
  'answers TLS in plain text': {
    scheme: 'https',
    does: (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'),
    told: BROKEN,
  },
  'says that it goes on, for ever': {
    does: (socket) => forever(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 20),
    told: LATE,
  },
  'sends headers for ever': {
    does: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      forever(socket, 'x-more: 1\r\n', 100)
    },
    told: LATE,
  },
  'sends headers as fast as it can': {
    does: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      flood(socket, Buffer.from('x-more: 1\r\n'.repeat(1000)))
    },
    told: BROKEN,
  },
  'sends a body for ever, a byte at a time': {
    does: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      forever(socket, '1\r\nx\r\n', 50)
    },
    told: { status: 200, error: null },
  },
  'sends a body for ever, as fast as it can': {
    does: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      flood(socket, Buffer.alloc(65_536))
    },
    told: { status: 200, error: null },
  },
  'breaks off': { does: (socket) => socket.resetAndDestroy(), told: BROKEN },
  'answers no HTTP': { does: (socket) => socket.end('220 mail.example ESMTP\r\n'), told: BROKEN },
  'has a status of its own': { does: (socket) => socket.end('HTTP/1.1 999 No\r\n\r\n'), told: { status: 999 } },
}

async function receiverThat(does: (socket: Socket) => void): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => does(socket))
    socket.resume()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { server, port: (server.address() as AddressInfo).port }
}

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })

test.each(Object.entries(RECEIVERS))(
  'a receiver that %s is told of in the log, and let go',
  async (_name, receiver) => {
    const { scheme = 'http', does, told } = receiver
    const world = open()
    const { server, port } = await receiverThat(does)
    const team = await world.team()
    const { id } = await world.hook(team, `${scheme}://127.0.0.1:${port}/`)
    world.run()
    await world.emit(team, 'did:a', 1)
    const tries = async () => (await world.deliveries(id)).flatMap(({ log }) => log)
    await vi.waitFor(async () => expect(await tries()).toMatchObject([told]), 30_000)
    await vi.waitFor(async () => expect(await connectionsOf(server)).toBe(0), 30_000)
  },
)

test.each([301, 302, 303, 307, 308])('a redirect of %i leads nowhere, and is a failure', async (status) => {
  const world = open()
  const [team, inside] = [await world.team(), await world.receiver()]
  const { port } = await receiverThat((socket) =>
    socket.end(`HTTP/1.1 ${status} Elsewhere\r\nlocation: ${inside.url}\r\ncontent-length: 0\r\n\r\n`),
  )
  const { id } = await world.hook(team, `http://127.0.0.1:${port}/`)
  world.run()
  await world.emit(team, 'did:a', 1)
  const states = async () => (await world.deliveries(id)).map(({ state, log }) => ({ state, log }))
  await vi.waitFor(async () => expect(await states()).toMatchObject([{ state: 'waiting', log: [{ status }] }]), 30_000)
  expect(inside.received).toEqual([])
})

test('while all of them are told of an event, another receiver of the team is told in its order', async () => {
  const world = open()
  const [team, good] = [await world.team(), await world.receiver()]
  for (const { scheme = 'http', does } of Object.values(RECEIVERS)) {
    const { port } = await receiverThat(does)
    await world.hook(team, `${scheme}://127.0.0.1:${port}/`)
  }
  await world.hook(team, good.url)
  world.run()
  const numbers = Array.from({ length: 50 }, (_, number) => number)
  await world.emit(team, 'did:a', ...numbers)
  await vi.waitFor(() => expect(numbersOf(good)).toEqual(numbers), 30_000)
})
