import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hostLookup } from './host-lookup.js'

const [TYPE_A, HEADER_BYTES] = [1, 12]

/** A name server that knows good.example, and never answers for other names. */
let server: Socket
let asked = 0
beforeAll(async () => {
  server = createSocket('udp4')
  server.on('message', (question, { address, port }) => {
    asked++
    const answer = answerTo(question)
    if (answer) server.send(answer, port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => void server.close())

/** RFC 1035, section 4: the header, the question again, and one address where an IPv4 one is asked for. */
function answerTo(question: Buffer): Buffer | undefined {
  if (!question.includes(Buffer.from('\x04good\x07example\0', 'latin1'))) return undefined
  const end = question.indexOf(0, HEADER_BYTES) + 5
  const isA = question.readUInt16BE(end - 4) === TYPE_A
  const header = Buffer.from([...question.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0])
  const record = Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7])
  return Buffer.concat([header, question.subarray(HEADER_BYTES, end), ...(isA ? [record] : [])])
}

const lookup = () => hostLookup([`127.0.0.1:${server.address().port}`])
const forEver = () => new AbortController().signal

it('names that nobody answers for make no other wait, and end with their signal', async () => {
  const stopping = new AbortController()
  const slow = Array.from({ length: 40 }, (_, index) => lookup()(`slow${index}.example`, stopping.signal))
  const found = await lookup()('good.example', forEver())
  expect(found).toEqual([{ address: '192.0.2.7', family: 4 }])
  stopping.abort()
  expect(await Promise.all(slow)).toEqual(slow.map(() => []))
  expect(await lookup()('slow.example', stopping.signal)).toEqual([])
})

it('asks no name server for what needs none', async () => {
  const before = asked
  const loopback = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]
  for (const name of ['localhost', 'LOCALHOST.', 'a.localhost'])
    expect(await lookup()(name, forEver())).toEqual(loopback)
  expect(await lookup()('192.0.2.9', forEver())).toEqual([{ address: '192.0.2.9', family: 4 }])
  expect(await lookup()('2001:db8::1', forEver())).toEqual([{ address: '2001:db8::1', family: 6 }])
  expect(await lookup()('nowhere.invalid', forEver())).toEqual([])
  expect(asked).toBe(before)
})
