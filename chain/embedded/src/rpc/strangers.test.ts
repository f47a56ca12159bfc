import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { compactToU8a } from '@polkadot/util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { Chain } from '../chain/chain.js'
import { ENTRY_LENGTH } from '../chain/recently-used.js'
import type { Ledger } from '../ledger.js'
import { hexOf } from '../store/store.js'
import { Actor } from '../testing/actor.js'
import { openPaidLedger, type PaidLedger } from '../testing/paid-ledger.js'
import { Callers } from './callers.js'
import { methods } from './methods.js'
import { type RpcServer, startRpcServer } from './server.js'
import { RpcSession } from './session.js'

const TOKEN = 'a-token-of-the-product-itself-and-nobody-else'
const PER_ADDRESS = 3
const ANOTHER_ADDRESS = '127.0.0.2'

let paid: PaidLedger
let ledger: Ledger
let server: RpcServer

beforeAll(async () => {
  paid = await openPaidLedger()
  ledger = paid.opened.ledger
  const places = { arriving: 8, perAddress: PER_ADDRESS, all: 6 }
  const door = { host: '127.0.0.1', port: 0, ownToken: TOKEN, places }
  server = await startRpcServer(ledger, door, () => {})
})

afterAll(async () => {
  await server.close()
  await paid.close()
})

describe('connections of one address beyond its share', () => {
  test('end the one that rested longest, and none of another address or of the product itself', async () => {
    const [other, own] = [await connect({ localAddress: ANOTHER_ADDRESS }), await connect({ path: TOKEN })]
    const hogs = []
    for (let n = 0; n < PER_ADDRESS; n++) hogs.push(await connect())
    expect(await ask(hogs[0], 'system_name')).toEqual({ result: 'accredit-ledger' })
    const [first, second] = hogs
    const ended = second && once(second, 'close')
    hogs.push(await connect())
    await ended
    expect([other, own, first].map((socket) => socket?.readyState)).toEqual([1, 1, 1])
    for (const socket of [...hogs, other, own]) socket.terminate()
  })

  test('are not had while all of it are at work; over HTTP neither; and whoever has the token is let in', async () => {
    const hogs = []
    for (let n = 0; n < PER_ADDRESS; n++) {
      const hog = await connect()
      // A batch of a thousand, whose answers nobody reads: more than a connection takes.
      hog.pause()
      for (let batch = 0; batch < 20; batch++) hog.send(JSON.stringify(Array(300).fill(request('state_getMetadata'))))
      hogs.push(hog)
    }
    await expect.poll(() => connect().then(() => 'open', String), { timeout: 10_000 }).toContain('503')
    expect(await post(system)).toMatchObject({ status: 503 })
    expect(await post(system, { path: 'another-token-of-forty-characters-0000000' })).toMatchObject({ status: 503 })
    const own = await connect({ path: TOKEN })
    expect(await ask(own, 'system_name')).toEqual({ result: 'accredit-ledger' })
    expect((await post(system, { path: TOKEN })).status).toBe(200)
    expect((await post(system, { localAddress: ANOTHER_ADDRESS })).status).toBe(200)
    for (const socket of [...hogs, own]) socket.terminate()
  })
})

describe('memory for the questions of strangers is bounded', () => {
  test('the state keeps a limited number of characters, also of keys that nothing stands under', async () => {
    const entry = ENTRY_LENGTH + 66
    const chain = await Chain.open(ledger.chain.store, 3 * entry)
    const reads = vi.spyOn(ledger.chain.store, 'valuesAt')
    const keys = Array.from({ length: 4 }, () => hexOf(randomBytes(32)))
    const read = async (key = keys[0]) => {
      const before = reads.mock.calls.length
      await chain.valueAt(key ?? '0x', chain.head.number)
      return reads.mock.calls.length - before
    }
    for (const key of keys.slice(0, 3)) await read(key)
    expect(await read(keys[1])).toBe(0)
    expect(await read(keys[3])).toBe(1)
    expect([await read(keys[1]), await read(keys[0])]).toEqual([0, 1])
    reads.mockRestore()
  })

  test.each([
    ['is kept below the bound', 1, false],
    ['is kept at the bound', 0, false],
    ['is cut off above it', -1, true],
  ])('a connection whose subscriptions keep many keys %s', async (_what, room, isCutOff) => {
    const kept = 2 * (ENTRY_LENGTH + 66)
    const gone: string[] = []
    const callers = new Callers({ ofOne: 3 * kept + room, ofAll: Number.POSITIVE_INFINITY })
    const caller = callers.enter(() => gone.push('cut off'), { network: '192.0.2.1', isOwn: false })
    const session = new RpcSession(
      ledger,
      methods,
      () => {},
      () => {},
      caller,
    )
    const subscribe = () => session.call('state_subscribeStorage', [[hexOf(randomBytes(32)), hexOf(randomBytes(32))]])
    for (let n = 0; n < 20; n++) expect(await session.call('state_unsubscribeStorage', [await subscribe()])).toBe(true)
    for (let n = 0; n < 3; n++) await subscribe()
    expect(gone).toEqual(isCutOff ? ['cut off'] : [])
    session.close()
  })
})

describe('a connection that has ended', () => {
  /** Opens a session over a connection that the test ends, and records its messages. */
  function endingSession(isOwn: boolean) {
    const caller = new Callers().enter(() => {}, { network: '192.0.2.1', isOwn })
    const sent: unknown[] = []
    const notify = (...message: unknown[]) => sent.push(message)
    const session = new RpcSession(ledger, methods, () => {}, notify, caller)
    const end = () => {
      caller.leave()
      session.close()
    }
    return { session, sent, end }
  }

  test.each([false, true])('gets no subscription (of the product itself: %s)', async (isOwn) => {
    const { session, end } = endingSession(isOwn)
    end()
    const start = vi.fn(() => () => {})
    expect(() => session.subscribe('chain_newHead', start)).toThrow('The connection has ended')
    expect(start).not.toHaveBeenCalled()
  })

  test('hears nothing of an extrinsic that it watches, which a block includes all the same', async () => {
    const { session, sent, end } = endingSession(true)
    const extrinsic = await paid.payer.sign(new Actor(paid.payer.place).create())
    const height = ledger.head.number
    const watched = session.call('author_submitAndWatchExtrinsic', [extrinsic])
    end()
    await expect(watched).rejects.toThrow('The connection has ended')
    expect(ledger.head.number).toBeGreaterThan(height)
    expect(sent).toEqual([])
  })
})

describe('work that a stranger gives to the runtime', () => {
  /** A dry run of as many calls, each of one byte that is no call. */
  const dryRun = (count: number) =>
    hexOf(Buffer.concat([Buffer.alloc(72), compactToU8a(count), Buffer.alloc(count, 0xff)]))

  test('has a bound in bytes and in calls, which stands before it; that of the product itself has none', async () => {
    const runs = vi.spyOn(ledger.chain, 'answer')
    const [stranger, own] = [await connect(), await connect({ path: TOKEN })]
    const run = (socket: WebSocket, argument: string, method = 'DryRunApi_dry_run') =>
      ask(socket, 'state_call', [method, argument])
    const tooMany = { error: { code: -32602, message: expect.stringContaining('at most 16 calls') } }
    const tooLong = { error: { code: -32602, message: expect.stringContaining('at most 32768 bytes') } }
    for (const method of ['DryRunApi_dry_run', 'DryRunApi_dry_run_unsigned'])
      for (const count of [17, 20_000]) expect(await run(stranger, dryRun(count), method)).toEqual(tooMany)
    for (const method of ['DryRunApi_dry_run', 'Core_version', 'RuntimeViewFunction_execute_view_function'])
      expect(await run(stranger, `0x${'00'.repeat(32_769)}`, method)).toEqual(tooLong)
    expect(runs).not.toHaveBeenCalled()
    // None of these is a call, which the runtime itself says.
    for (const [socket, argument] of [
      [stranger, dryRun(16)],
      [own, dryRun(17)],
      [own, dryRun(40_000)],
    ] as const)
      expect(await run(socket, argument)).toMatchObject({ error: { code: 4003 } })
    expect(runs).toHaveBeenCalledTimes(3)
    runs.mockRestore()
    for (const socket of [stranger, own]) socket.terminate()
  })
})

describe('an extrinsic of a stranger', () => {
  test('comes into a block when it is good', async () => {
    const socket = await connect()
    const extrinsic = await paid.payer.sign(new Actor(paid.payer.place).create())
    expect(await ask(socket, 'author_submitExtrinsic', [extrinsic])).toEqual({ result: expect.stringMatching(/^0x/) })
    socket.terminate()
  })

  test('is refused before it is kept, with the code and the words of a node', async () => {
    const kept = vi.spyOn(ledger.producer, 'submit')
    const socket = await connect()
    const submit = async (extrinsic: string) => (await ask(socket, 'author_submitExtrinsic', [extrinsic])).error
    expect(await submit(await badlySigned())).toMatchObject({ code: 1010, data: 'Transaction has a bad signature' })
    expect(await submit(hexOf(withLength(randomBytes(100))))).toMatchObject({ code: 1011 })
    const { maxExtrinsicBytes: most } = await ledger.chain.runtimeAt(ledger.head.number)
    expect(most).toBe(5 * 1024 * 1024)
    const exhausts = { code: 1010, message: 'Invalid Transaction', data: 'Transaction would exhaust the block limits' }
    const atMost = `0x${'00'.repeat(most)}`
    expect(await submit(atMost.slice(0, -2))).not.toEqual(exhausts)
    expect(await submit(atMost)).not.toEqual(exhausts)
    expect(await submit(`${atMost}00`)).toEqual(exhausts)
    expect(kept).not.toHaveBeenCalled()
    kept.mockRestore()
    socket.terminate()
  })
})

/** An extrinsic whose signature is another one. */
async function badlySigned(): Promise<string> {
  const good = await paid.payer.sign(new Actor(paid.payer.place).create(), 1_000)
  const { signature } = paid.payer.api.createType('Extrinsic', good)
  const hex = signature.toHex().slice(2)
  return good.replace(hex, hex.slice(0, -2) + (hex.endsWith('00') ? '01' : '00'))
}

const withLength = (body: Uint8Array): Uint8Array => Buffer.concat([compactToU8a(body.length), body])

interface From {
  path?: string
  localAddress?: string
}

async function connect({ path = '', localAddress = '127.0.0.1' }: From = {}): Promise<WebSocket> {
  const socket = new WebSocket(`${server.url}/${path}`, { localAddress })
  await once(socket, 'open')
  socket.on('error', () => {})
  return socket
}

async function ask(socket: WebSocket | undefined, method: string, params: unknown[] = []) {
  if (!socket) throw new Error('there is no connection')
  const answer = new Promise<{ result?: unknown; error?: unknown }>((resolve) => {
    socket.on('message', function take(data) {
      const { id, result, error } = JSON.parse(String(data))
      if (id !== 1) return
      socket.off('message', take)
      resolve(error === undefined ? { result } : { error })
    })
  })
  socket.send(JSON.stringify(request(method, params)))
  return answer
}

async function post(body: string, { path = '', localAddress = '127.0.0.1' }: From = {}) {
  const { hostname, port } = new URL(server.url)
  const headers = { 'content-type': 'application/json', connection: 'close' }
  const sending = httpRequest({ hostname, port, path: `/${path}`, method: 'POST', headers, localAddress })
  sending.end(body)
  const [response] = await once(sending, 'response')
  response.resume()
  return { status: response.statusCode }
}

function request(method: string, params: unknown[] = []) {
  return { jsonrpc: '2.0', id: 1, method, params }
}

const system = JSON.stringify(request('system_name'))

describe('at a door that is for readers', () => {
  test('a stranger reads and submits nothing, and a process of the product does both', async () => {
    const door = { host: '127.0.0.1', port: 0, ownToken: TOKEN, isReadOnly: true }
    const readers = await startRpcServer(ledger, door, () => {})
    const at = async (path: string, method: string, params: unknown[]) => {
      const answer = await fetch(`${readers.url.replace('ws', 'http')}/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...request(method), params }),
      })
      return JSON.parse(await answer.text())
    }
    const extrinsic = await paid.payer.sign(new Actor(paid.payer.place).create())
    expect(await at('', 'system_name', [])).toMatchObject({ result: 'accredit-ledger' })
    for (const method of ['author_submitExtrinsic', 'author_submitAndWatchExtrinsic'])
      expect((await at('', method, [extrinsic])).error).toMatchObject({
        code: -32601,
        message: expect.stringContaining('this door is for readers'),
      })
    expect(await at(TOKEN, 'author_submitExtrinsic', [extrinsic])).toMatchObject({
      result: expect.stringMatching(/^0x/),
    })
    await readers.close()
  })
})
