import { EventEmitter, once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type ScratchDatabase, scratchDatabase } from '../../../../test/support/scratch-database.js'
import { randomKeys } from '../keys.js'
import { type OpenLedger, openLedger } from '../open-ledger.js'
import { CODE_KEY } from '../runtime/runtime.js'

let scratch: ScratchDatabase
let opened: OpenLedger
let http: string
const ALLOWED = 'https://tools.example'
/** Failures that the server reports, as events and as texts. */
const errors = new EventEmitter()
const reported: string[] = []

beforeAll(async () => {
  scratch = await scratchDatabase()
  const onError = (_cause: unknown, method: string) => {
    reported.push(method)
    errors.emit(method)
  }
  opened = await openLedger({ databaseUrl: scratch.url, keys: randomKeys(), onError, allowedOrigins: [ALLOWED] })
  http = opened.url.replace('ws:', 'http:')
  await opened.ledger.producer.produce()
})

afterAll(async () => {
  await opened.close()
  await scratch.drop()
})

describe('the methods', () => {
  test('are those of a list, without any that gives proofs or builds blocks on demand', async () => {
    const { result } = await call('rpc_methods')
    expect(result.methods).not.toEqual(expect.arrayContaining([expect.stringMatching(/^dev_|Proof|author_insertKey/)]))
    expect((await call('constructor')).error).toEqual({ code: -32601, message: 'Method not found: constructor' })
  })

  test.each([
    ['state_getReadProof', 'gives no proofs'],
    ['state_getChildReadProof', 'gives no proofs'],
    ['state_getPairs', 'page through state_getKeysPaged'],
    ['state_getKeys', 'page through state_getKeysPaged'],
    ['state_queryStorage', 'read with state_queryStorageAt'],
    ['childstate_getStorage', 'no child tries'],
    ['author_insertKey', 'in its key file'],
    ['dev_newBlock', 'fork the ledger'],
    ['dev_setStorage', 'fork the ledger'],
    ['engine_createBlock', 'fork the ledger'],
  ])('do not include %s, and the refusal says why: %s', async (method, why) => {
    const { error } = await call(method)
    expect(error.code).toBe(-32601)
    expect(error.message).toContain(`Method not available: ${method}: `)
    expect(error.message).toContain(why)
  })

  test('give pages of up to a thousand keys, and read up to a thousand entries at once, each once', async () => {
    for (const count of [0, 999, 1_000]) expect((await call('state_getKeysPaged', ['0x', count])).error).toBeUndefined()
    const keys = Array.from({ length: 1_001 }, (_, index) => `0x${index.toString(16).padStart(8, '0')}`)
    for (const count of [999, 1_000]) {
      const { result } = await call('state_queryStorageAt', [keys.slice(0, count)])
      expect(result[0].changes).toHaveLength(count)
    }
    expect((await call('state_queryStorageAt', [keys])).error.message).toContain('at most 1000 keys')
    const { result } = await call('state_queryStorageAt', [Array(1_000).fill(CODE_KEY)])
    expect(result[0].changes).toEqual([[CODE_KEY, expect.stringMatching(/^0x/)]])
  })

  test.each([
    ['state_getStorage', (key: string) => [key]],
    ['state_getStorageHash', (key: string) => [key]],
    ['state_getStorageSize', (key: string) => [key]],
    ['state_getKeysPaged', (key: string) => [key, 1]],
    ['state_getKeysPaged', (key: string) => ['0x', 1, key]],
    ['state_queryStorageAt', (key: string) => [[key]]],
  ])('%s takes keys that are longer than any of the runtime, and none of any length', async (method, params) => {
    for (const bytes of [511, 512])
      expect((await call(method, params(`0x${'ab'.repeat(bytes)}`))).error).toBeUndefined()
    const { code, message } = (await call(method, params(`0x${'ab'.repeat(513)}`))).error
    expect([code, message]).toEqual([-32602, expect.stringContaining('a key has at most 512 bytes')])
  })

  test('tell of a network of one', async () => {
    const { number } = opened.ledger.head
    expect((await call('system_peers')).result).toEqual([])
    expect((await call('system_syncState')).result).toEqual({
      startingBlock: 0,
      currentBlock: number,
      highestBlock: number,
    })
    expect((await call('system_health')).result).toEqual({ peers: 0, isSyncing: false, shouldHavePeers: false })
    expect((await call('system_properties')).result).toEqual({ ss58Format: 42 })
    expect((await call('chain_getFinalizedHead')).result).toBe(opened.ledger.head.hash)
  })

  test('answer null for a missing block, and an error for the state of one', async () => {
    expect((await call('chain_getBlockHash', [1_000_000])).result).toBeNull()
    expect((await call('chain_getBlock', [`0x${'12'.repeat(32)}`])).result).toBeNull()
    expect((await call('state_getStorage', ['0x00', `0x${'12'.repeat(32)}`])).error).toMatchObject({ code: 4003 })
  })

  test.each([
    ['chain_getBlockHash', ['x']],
    ['chain_getBlockHash', [-1]],
    ['chain_getHeader', ['0x12']],
    ['state_getStorage', ['0x1']],
    ['state_getStorage', []],
    ['state_getKeysPaged', ['0x', 1_001]],
    ['author_submitExtrinsic', [{}]],
    ['system_accountNextIndex', ['nobody']],
    ['chain_subscribeNewHeads', []],
  ])('refuse %s of %j in so many words', async (method, params) => {
    const { error } = await call(method, params)
    expect(error.message).toMatch(/^(Invalid params: |Subscriptions need)/)
  })

  test('give the runtime version of a block by either name', async () => {
    const [byState, byChain] = [await call('state_getRuntimeVersion'), await call('chain_getRuntimeVersion')]
    expect(byState.result).toMatchObject({ specName: 'accredit' })
    expect(byChain.result).toEqual(byState.result)
  })
})

describe('the server', () => {
  test('answers GET / with its state and head', async () => {
    const response = await fetch(http)
    const { number, hash } = opened.ledger.head
    expect(await response.json()).toEqual({ name: 'accredit-ledger', head: { height: number, hash } })
  })

  test('answers a batch with a batch, and what is no JSON with a parse error', async () => {
    const batch = [request('system_name'), { jsonrpc: '2.0', id: 2, method: 'nope' }, 5]
    expect(await post(JSON.stringify(batch))).toMatchObject([
      { result: 'accredit-ledger' },
      { error: {} },
      { error: {} },
    ])
    expect(await post('{')).toMatchObject({ id: null, error: { code: -32700 } })
    expect(await post('[]')).toMatchObject({ error: { code: -32600 } })
  })

  describe('over a WebSocket', () => {
    const name = { jsonrpc: '2.0', method: 'system_name' }
    const named = (id: string | number | null) => ({ jsonrpc: '2.0', id, result: 'accredit-ledger' })

    test.each<[string, unknown, unknown]>([
      ['an id of null with an id of null', { ...name, id: null }, named(null)],
      [
        'an error of an id of null likewise',
        { ...name, id: null, method: 'nope' },
        { id: null, error: { code: -32601 } },
      ],
      [
        'an id that is text or a number with the same',
        [
          { ...name, id: '' },
          { ...name, id: 0 },
        ],
        [named(''), named(0)],
      ],
      [
        'of a batch all but its notifications',
        [name, { ...name, id: null }, { ...name, method: 'nope' }],
        [named(null)],
      ],
      ['an id that is neither with none', { ...name, id: {} }, { id: null, error: { code: -32600 } }],
      ['another protocol with none', { id: 7, method: 'system_name' }, { id: null, error: { code: -32600 } }],
      ['named parameters with what is wrong', { ...name, id: 8, params: { a: 1 } }, { id: 8, error: { code: -32602 } }],
    ])('answers %s', async (_, message, expected) => {
      expect((await answersTo([message]))[0]).toMatchObject(expected as object)
    })

    test('answers no notification, alone, in a batch, or failing', async () => {
      const silent = [name, [name, name], { ...name, method: 'nope' }, { ...name, params: { a: 1 } }]
      expect(await answersTo([...silent, { ...name, id: 'last' }])).toEqual([named('last')])
    })
  })

  test('tells a subscriber of a block only when another connection can read it from the database', async () => {
    const reader = new pg.Client({ connectionString: scratch.url })
    await reader.connect()
    const socket = new WebSocket(opened.url)
    await new Promise((resolve) => socket.once('open', resolve))
    const heads = headsOf(socket)
    socket.send(JSON.stringify(request('chain_subscribeFinalizedHeads')))
    for (let round = 0; round < 3; round += 1) {
      const height = Number(await heads())
      const { rows } = await reader.query('select number from chain.blocks order by number desc limit 1')
      expect(rows[0].number).toBe(height)
      await opened.ledger.producer.produce()
    }
    socket.close()
    await reader.end()
  })

  test('reports a subscription that cannot read, ends it, and lives on', async () => {
    const client = new pg.Client({ connectionString: scratch.url })
    await client.connect()
    const socket = new WebSocket(opened.url)
    await once(socket, 'open')
    const failed = once(errors, 'state_storage')
    await client.query('alter table chain.state rename to state_away')
    socket.send(JSON.stringify(request('state_subscribeStorage', [[`0x${'77'.repeat(32)}`]])))
    await failed
    await client.query('alter table chain.state_away rename to state')
    expect((await call('state_getRuntimeVersion')).result).toMatchObject({ specName: 'accredit' })
    socket.close()
    await client.end()
  })
})

describe('a caller', () => {
  test('that goes away in the middle of its message is no failure of ours', async () => {
    const before = [...reported]
    const { hostname, port } = new URL(http)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    const head = `POST / HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`
    await new Promise((resolve) => socket.write(head, resolve))
    await call('system_name')
    socket.resetAndDestroy()
    for (let n = 0; n < 5; n++) await call('system_name')
    expect(reported).toEqual(before)
  })

  test('that reads no answers is not read either, delays nobody else, and is answered when it reads again', async () => {
    const flood = new WebSocket(opened.url)
    await once(flood, 'open')
    flood.pause()
    const calls = 1500
    const long = 'x'.repeat(100_000)
    for (let n = 0; n < calls; n++) flood.send(JSON.stringify({ ...request('system_name'), id: `${n} ${long}` }))
    const other = new WebSocket(opened.url)
    await once(other, 'open')
    for (let n = 0; n < 50; n++) {
      other.send(JSON.stringify(request('chain_getHeader')))
      await once(other, 'message')
    }
    // The kernel takes a part of the sent bytes for both sides, up to 33 MB for each where it may.
    expect(flood.bufferedAmount).toBeGreaterThan((calls * long.length) / 3)
    const answered = new Set<string>()
    flood.on('message', (data) => answered.add(JSON.parse(String(data)).id))
    flood.resume()
    await expect.poll(() => answered.size).toBe(calls)
    flood.close()
    other.close()
  })

  test('is told no more of its subscriptions when there are too many', async () => {
    const socket = new WebSocket(opened.url)
    await once(socket, 'open')
    const answers: { error?: unknown }[] = []
    socket.on('message', (data) => {
      const message = JSON.parse(String(data))
      if ('id' in message) answers.push(message)
    })
    for (let n = 0; n < 300; n++) socket.send(JSON.stringify(request('chain_subscribeNewHeads')))
    await expect.poll(() => answers.length).toBe(300)
    expect(answers.filter(({ error }) => error !== undefined)).toHaveLength(44)
    socket.close()
  })

  test('that sends requests ahead of an answer over HTTP is cut off', async () => {
    const { port, hostname } = new URL(http)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    let answers = 0
    socket.on('data', (chunk) => {
      answers += String(chunk).split('HTTP/1.1 200').length - 1
    })
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(1000))
    await once(socket, 'close')
    expect(answers).toBeLessThan(2)
  })

  describe('from a web page', () => {
    const ask = async (headers: Record<string, string>, method = 'POST') => {
      const { port, hostname } = new URL(http)
      const body = method === 'POST' ? JSON.stringify(request('system_name')) : undefined
      const sending = httpRequest({ port, hostname, method, headers })
      sending.end(body)
      const [response] = await once(sending, 'response')
      response.resume()
      return response.statusCode
    }
    const json = { 'content-type': 'application/json' }

    test.each<[string, Record<string, string>, number]>([
      ['of a program', json, 200],
      ['of a page', { ...json, origin: 'https://evil.example' }, 403],
      ['of a file', { ...json, origin: 'null' }, 403],
      ['of a page that is allowed', { ...json, origin: ALLOWED }, 200],
      ['of a form', { 'content-type': 'text/plain' }, 415],
      ['without a type', {}, 415],
      ['to a name that was pointed here', { ...json, host: 'evil.example:9944' }, 403],
      ['to localhost', { ...json, host: 'localhost:9944' }, 200],
      ['to an IPv6 address', { ...json, host: '[::1]:9944' }, 200],
      ['to the name of a container', { ...json, host: 'ledger:9944' }, 200],
    ])('a call over HTTP %s', async (_name, headers, status) => {
      expect(await ask(headers)).toBe(status)
    })

    test('GET is refused likewise', async () => {
      expect(await ask({ origin: 'https://evil.example' }, 'GET')).toBe(403)
      expect(await ask({ host: 'evil.example' }, 'GET')).toBe(403)
    })

    test.each<[string, Record<string, string>, string]>([
      ['a page', { origin: 'https://evil.example' }, 'Unexpected server response: 403'],
      ['a name that was pointed here', { host: 'evil.example' }, 'Unexpected server response: 403'],
      ['a page that is allowed', { origin: ALLOWED }, 'open'],
    ])('a WebSocket of %s', async (_name, headers, expected) => {
      const socket = new WebSocket(opened.url, { headers })
      const outcome = await Promise.race([
        new Promise((resolve) => socket.once('open', () => resolve('open'))),
        new Promise((resolve) => socket.once('error', ({ message }) => resolve(message))),
      ])
      expect(outcome).toBe(expected)
      socket.close()
    })
  })
})

/** Returns the heights of the heads that a socket is told of, one at each call. */
function headsOf(socket: WebSocket): () => Promise<string> {
  const told: string[] = []
  let wake = () => {}
  socket.on('message', (data) => {
    const { params } = JSON.parse(String(data))
    if (params) told.push(params.result.number)
    wake()
  })
  return async () => {
    for (;;) {
      const next = told.shift()
      if (next !== undefined) return next
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
}

/** Sends these messages, some of which have an answer, and returns the messages that come back. */
async function answersTo(messages: readonly unknown[]): Promise<unknown[]> {
  const socket = new WebSocket(opened.url)
  await once(socket, 'open')
  const told: unknown[] = []
  socket.on('message', (data) => told.push(JSON.parse(String(data))))
  for (const message of messages) socket.send(JSON.stringify(message))
  await once(socket, 'message')
  // The server answers this last, after everything else.
  socket.ping()
  await once(socket, 'pong')
  socket.close()
  return told
}

function request(method: string, params: unknown[] = []) {
  return { jsonrpc: '2.0', id: 1, method, params }
}

function call(method: string, params: unknown[] = []) {
  return post(JSON.stringify(request(method, params)))
}

async function post(body: string) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(http, { method: 'POST', headers, body })
  return JSON.parse(await response.text())
}
