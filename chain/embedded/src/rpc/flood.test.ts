import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type ScratchDatabase, scratchDatabase } from '../../../../test/support/scratch-database.js'
import { randomKeys } from '../keys.js'
import { type OpenLedger, openLedger } from '../open-ledger.js'

const LARGEST_MESSAGE = 12 * 1024 * 1024
const LARGEST_BATCH = 1_000
/** The messages of a connection that the server reads to their end, and those that it does not. */
const [FEW, MANY] = [20, 150]

let scratch: ScratchDatabase
let opened: OpenLedger
let http: string

beforeAll(async () => {
  scratch = await scratchDatabase()
  opened = await openLedger({ databaseUrl: scratch.url, keys: randomKeys() })
  http = opened.url.replace('ws:', 'http:')
})

afterEach(() => vi.restoreAllMocks())

afterAll(async () => {
  await opened.close()
  await scratch.drop()
})

describe('batches whose answers nobody reads', () => {
  test('are begun one after the other while there is room, hold up nobody else, and are answered when they are read', async () => {
    const metadata = vi.spyOn(opened.ledger.chain, 'runtimeAt')
    const batch = batchOf(90, () => request('state_getMetadata'))
    const flood = await connected()
    flood.pause()
    const batches = 15
    for (let n = 0; n < batches; n++) flood.send(batch)
    await untilStill(() => metadata.mock.calls.length)
    // The bound is the kernel's buffers for both sides, and one more batch of 16 MB.
    expect(metadata.mock.calls.length).toBeLessThan((batches * 90) / 2)
    let answered = 0
    flood.on('message', (data) => {
      answered += JSON.parse(String(data)).length
    })
    flood.resume()
    await expect.poll(() => answered).toBe(batches * 90)
    flood.close()
  })
})

describe('when a caller is gone', () => {
  const calls = 300
  /** The messages have no ids, so that the server has nothing to write. */
  const batch = batchOf(calls, () => ({ ...unknownBlock(), id: undefined }))
  const sentBatches = async (batches: number) => {
    const socket = await connected()
    for (let n = 1; n < batches; n++) socket.send(batch)
    await new Promise((resolve) => socket.send(batch, resolve))
    return socket
  }

  test.each([FEW, MANY])('nothing more is begun of the %i batches that it sent over a WebSocket', async (batches) => {
    const asked = vi.spyOn(opened.ledger.chain, 'blockOf')
    const socket = await sentBatches(batches)
    await expect.poll(() => asked.mock.calls.length).toBeGreaterThan(0)
    socket.terminate()
    await untilStill(() => asked.mock.calls.length)
    expect(asked.mock.calls.length).toBeLessThan((batches * calls) / 2)
  })

  test('nothing more is begun of the batch that it sent over HTTP', async () => {
    const { chain } = opened.ledger
    const leaving = new AbortController()
    const blockOf = chain.blockOf.bind(chain)
    // A poll would see the first call too late on a busy machine: the whole batch may be over by then.
    const asked = vi.spyOn(chain, 'blockOf').mockImplementation((...call) => {
      leaving.abort()
      return blockOf(...call)
    })
    await expect(post(batchOf(LARGEST_BATCH, unknownBlock), leaving.signal)).rejects.toThrow('aborted')
    await untilStill(() => asked.mock.calls.length)
    expect(asked.mock.calls.length).toBeLessThan(LARGEST_BATCH / 2)
  })

  test.each([
    [FEW, 100],
    [MANY, 40],
  ])('others wait for none of the %i batches that each of %i left', async (batches, dead) => {
    const asked = vi.spyOn(opened.ledger.chain, 'blockOf')
    const other = await connected('127.0.0.2')
    for (let n = 0; n < dead; n++) (await sentBatches(batches)).terminate()
    const before = asked.mock.calls.length
    for (let n = 0; n < 20; n++) {
      other.send(JSON.stringify(unknownBlock()))
      await once(other, 'message')
    }
    // Each of them waited for one call of each of 64 connections at most, and for as many while it was on its way.
    expect(asked.mock.calls.length - before).toBeLessThan(20 * 2 * 64)
    other.close()
    await untilStill(() => asked.mock.calls.length)
    expect(asked.mock.calls.length).toBeLessThan((dead * batches * calls) / 10)
  })
})

describe('a message as large as may be', () => {
  const long = 'x'.repeat(LARGEST_MESSAGE / LARGEST_BATCH - 80)
  const calls = batchOf(LARGEST_BATCH, (n) => ({ ...request('system_name'), id: `${n} ${long}` }))
  const largest = calls.padEnd(LARGEST_MESSAGE)

  test('is a batch that is answered in full, also when others follow', async () => {
    const socket = await connected()
    const told: { id: string }[][] = []
    socket.on('message', (data) => told.push(JSON.parse(String(data))))
    for (let n = 0; n < 3; n++) socket.send(largest)
    await expect.poll(() => told.length).toBe(3)
    const ids = Array.from({ length: LARGEST_BATCH }, (_, n) => `${n} ${long}`)
    for (const answers of told) expect(answers.map(({ id }) => id)).toEqual(ids)
    expect(await post(largest)).toHaveLength(LARGEST_BATCH)
    socket.close()
  })

  test.each(['{}', '[]', '0'])('has no millions of values: %s', async (value) => {
    const values = `[${`${value},`.repeat(4_000_000)}0]`
    const single = { ...request('chain_getHeader'), params: 'VALUES' }
    const parsed = vi.spyOn(JSON, 'parse')
    const { error } = await post(JSON.stringify(single).replace('"VALUES"', values))
    expect(error).toMatchObject({ code: -32600, message: 'Invalid request: a message has at most 250000 values' })
    expect(parsed.mock.calls.filter(([text]) => text.length > 1_000_000)).toEqual([])
  })

  test('has no byte more', async () => {
    const socket = await connected()
    socket.send(`${largest} `)
    expect((await once(socket, 'close'))[0]).toBe(1009)
  })
})

test('a call is answered while a batch of the same connection is in work', async () => {
  const socket = await connected()
  const told: unknown[] = []
  socket.on('message', (data) => told.push(JSON.parse(String(data))))
  for (let n = 0; n < 2; n++) socket.send(batchOf(LARGEST_BATCH, unknownBlock))
  socket.send(JSON.stringify(request('system_name')))
  await expect.poll(() => told.length).toBe(3)
  expect(told[0]).toMatchObject({ result: 'accredit-ledger' })
  socket.close()
})

/** Waits until others were answered some times and this number was the same before and after. */
async function untilStill(count: () => number): Promise<void> {
  const grown = async () => {
    const before = count()
    for (let n = 0; n < 50; n++) await post(JSON.stringify(request('system_name')))
    return count() - before
  }
  await expect.poll(grown).toBe(0)
}

/** Opens a connection, when the server has room for one. */
function connected(localAddress = '127.0.0.1'): Promise<WebSocket> {
  return vi.waitFor(async () => {
    const socket = new WebSocket(opened.url, { localAddress })
    await once(socket, 'open')
    return socket
  }, 60_000)
}

/** The server reads it from the database each time. */
function unknownBlock() {
  return request('chain_getHeader', [`0x${randomBytes(32).toString('hex')}`])
}

function batchOf(calls: number, call: (n: number) => object): string {
  return JSON.stringify(Array.from({ length: calls }, (_, n) => call(n)))
}

function request(method: string, params: unknown[] = []) {
  return { jsonrpc: '2.0', id: 1, method, params }
}

async function post(body: string, signal?: AbortSignal) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(http, { method: 'POST', headers, body, ...(signal && { signal }) })
  return JSON.parse(await response.text())
}
