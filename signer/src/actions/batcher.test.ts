import { startTracing } from '@accredit/process/tracing'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Action } from '../wire.js'
import { type BatcherNeeds, makeBatch } from './batcher.js'
import type { Candidate, Chosen, NewExtrinsic, OnTheWay, PendingExtrinsic, SignedItem } from './pipeline.store.js'
import { openTurns } from './turns.js'

const KB = 1024
const NOW = 1_000

interface Wish extends Partial<Pick<Candidate, 'before' | 'inFlight' | 'share'>> {
  did?: string
  sequence?: number
  size?: number
  isSolo?: boolean
  kind?: Action['kind']
  keyRef?: string
  calls?: string[]
  nonce?: number
  validUntil?: number
  trace?: string
}

/** The tables of a test, and the record of what was done with them. */
let queue: Chosen[]
let onTheWay: OnTheWay
let asked: { limits: number[]; solo: number[]; keys: string[][]; state: string[][] }
let done: {
  refused: Record<string, string>
  signed: SignedItem[]
  extrinsics: NewExtrinsic[]
  sent: number[]
  traces: unknown[]
}
let warned: unknown[]
let turns: ReturnType<typeof openTurns>
let breaksTraces: boolean

beforeEach(() => {
  queue = []
  onTheWay = { nonces: [], lastFinalNonce: undefined, bytes: new Map() }
  asked = { limits: [], solo: [], keys: [], state: [] }
  done = { refused: {}, signed: [], extrinsics: [], sent: [], traces: [] }
  warned = []
  turns = openTurns()
  breaksTraces = false
})

function contentOf({ kind = 'dispatch', keyRef = 'key', calls = ['0x01'], nonce = 1, validUntil = NOW }: Wish): Action {
  const place = { id: '', did: '', sequence: 0 }
  const key = { kind: 'Ed25519' as const, publicKey: '0x', relationships: 0, keyRef }
  if (kind === 'create') return { ...place, kind, salt: '0x', keys: [key], controllers: [], services: [] }
  if (kind === 'dispatch') return { ...place, kind, keyId: 1, keyRef, calls }
  return { ...place, kind, keyId: 1, nonce, validUntil, signature: '0x', calls }
}

/** Queues an action; one after the first of its DID follows one that is final, or that is queued here. */
function queued(wish: Wish = {}): void {
  const { did = 'did:svc:a', sequence = 0, size = 1, isSolo = false, share = did, inFlight, trace } = wish
  const isQueued = queue.some(({ action }) => action.did === did)
  const before = 'before' in wish ? wish.before : isQueued ? 'queued' : sequence === 0 ? undefined : 'final'
  const action = { id: `${did} ${sequence}`, ordinal: queue.length, did, sequence, size, is_solo: isSolo }
  queue.push({ action, share, before, inFlight, content: contentOf(wish), trace: trace ?? null })
}

const needs = (more: Partial<BatcherNeeds> = {}): BatcherNeeds => ({
  store: {
    async candidates(limit) {
      asked.limits.push(limit)
      const counts = new Map<string, number>()
      return queue.filter(({ share }) => {
        counts.set(share, (counts.get(share) ?? 0) + 1)
        return (counts.get(share) ?? 0) <= limit
      })
    },
    async onTheWay(_account, soloBytes) {
      asked.solo.push(soloBytes)
      return onTheWay
    },
    async withContent(candidates) {
      const chosen = new Set(candidates.map(({ action }) => action.id))
      return queue.filter(({ action }) => chosen.has(action.id))
    },
    async refuse(refusals) {
      expect(refusals).not.toEqual([])
      for (const { id, error } of refusals) done.refused[id] = error.name
    },
    async sign(items, extrinsic): Promise<PendingExtrinsic> {
      done.signed.push(...items)
      done.extrinsics.push(extrinsic)
      return { id: done.extrinsics.length, ...extrinsic }
    },
    async tellTraces(_hash, traces) {
      if (breaksTraces) throw new Error('no database')
      done.traces.push(...traces)
    },
  },
  keys: {
    async signing(keyRefs) {
      asked.keys.push(keyRefs)
      return new Map(keyRefs.filter((one) => one !== 'unknown').map((one) => [one, () => Buffer.from(one)]))
    },
  },
  ledger: {
    async read(keys) {
      asked.state.push(keys)
      return keys.map((key) => (key === 'now' ? String(NOW) : key === 'did:svc:new' ? undefined : '4'))
    },
  },
  validity: { now: (time) => time, until: (time) => time + 15 },
  log: { warn: (what: unknown) => void warned.push(what) },
  feeAccount: { address: 'account' },
  codec: {
    specVersion: 3,
    transactionVersion: 2,
    creation: (_action, sign) => Buffer.concat([Buffer.from('create by '), sign(Buffer.of())]),
    dispatch: (_action, { nonce, validUntil, sign }) =>
      Buffer.from(`${nonce} until ${validUntil} by ${sign(Buffer.of())}`),
    authorised: ({ nonce }) => Buffer.from(`authorised ${nonce}`),
    callHash: (calls) => Buffer.concat(calls),
    mayDispatch(calls) {
      if (calls[0]?.[0] === 0xff) throw new TypeError('no call of the runtime')
      return calls[0]?.[0] !== 0
    },
    batch: (items, nonce, { height }) => ({ bytes: Buffer.concat(items), hash: Buffer.of(nonce), diesAt: height + 64 }),
    u32: (value) => Number(value ?? 0),
    moment: Number,
    keys: {
      now: 'now',
      nonce(did) {
        if (!did.startsWith('did:svc:')) throw new TypeError('no DID of the ledger')
        return did
      },
    },
  },
  cursor: { height: 9, hash: '0x09' },
  accountNonce: 0,
  finality: 'instant',
  turns,
  send: ({ id }) => void done.sent.push(id),
  ...more,
})

const ids = () => done.signed.map(({ id }) => id)
const texts = () => done.signed.map(({ encodedTx }) => encodedTx.toString())

describe('a batch', () => {
  test('is made of what is queued, stored, and sent; nothing is where nothing is queued', async () => {
    expect(await makeBatch(needs())).toEqual({ isMade: false, isQueued: false })
    expect([asked.solo, asked.keys]).toEqual([[], []])
    queued({ kind: 'create' })
    queued({ sequence: 1 })
    expect(await makeBatch(needs())).toEqual({ isMade: true, isQueued: true })
    expect(texts()).toEqual(['create by key', '5 until 1015 by key'])
    expect(done.signed).toMatchObject([
      { id: 'did:svc:a 0', nonce: null, callHash: null, validUntil: null, transactionVersion: 2 },
      { id: 'did:svc:a 1', nonce: 5, callHash: Buffer.of(1), validUntil: 1015, transactionVersion: 2 },
    ])
    const bytes = Buffer.from(texts().join(''))
    expect(done.extrinsics).toEqual([
      { account: 'account', nonce: 0, specVersion: 3, bytes, hash: Buffer.of(0), diesAt: 73 },
    ])
    expect(done.sent).toEqual([1])
    expect(turns.lastTurn('did:svc:a')).toBe(1)
  })

  test('is none while nobody’s turn has come', async () => {
    queued({ sequence: 3, before: 'queued' })
    expect(await makeBatch(needs())).toEqual({ isMade: false, isQueued: true })
    expect([asked.keys, done.sent]).toEqual([[], []])
  })

  test('gives each DID nonces from the ledger, or after those in flight', async () => {
    queued({ did: 'did:svc:new', sequence: 1 })
    queued({ did: 'did:svc:new', sequence: 2 })
    queued({ did: 'did:svc:b', sequence: 7, inFlight: { sequence: 6, nonce: 8 } })
    queued({ did: 'did:svc:b', sequence: 8, inFlight: { sequence: 6, nonce: 8 } })
    queued({ did: 'did:svc:c', sequence: 3, inFlight: { sequence: 2, nonce: null } })
    await makeBatch(needs())
    expect(Object.fromEntries(done.signed.map(({ id, nonce }) => [id, nonce]))).toEqual({
      'did:svc:new 1': 1,
      'did:svc:new 2': 2,
      'did:svc:b 7': 9,
      'did:svc:b 8': 10,
      'did:svc:c 3': 5,
    })
    expect(asked.state).toEqual([['now', 'did:svc:new', 'did:svc:c']])
  })

  test('holds what its owner signed while that is in time, and counts its nonce where it is the next', async () => {
    queued({ kind: 'authorised', sequence: 1, nonce: 5, validUntil: NOW })
    queued({ sequence: 2 })
    queued({ kind: 'authorised', sequence: 3, nonce: 9, validUntil: NOW + 1 })
    queued({ sequence: 4 })
    queued({ kind: 'authorised', did: 'did:svc:b', nonce: 5, validUntil: NOW - 1 })
    expect(await makeBatch(needs())).toEqual({ isMade: true, isQueued: true })
    expect(texts()).toEqual(['authorised 5', '6 until 1015 by key', 'authorised 9', '7 until 1015 by key'])
    expect(done.signed.map(({ validUntil }) => validUntil)).toEqual([NOW, 1015, NOW + 1, 1015])
    expect(done.refused).toEqual({ 'did:svc:b 0': 'Expired' })
    expect(asked.keys).toEqual([['key', 'key']])
  })

  test('leaves out what cannot be signed, and tells the log of what only a fault explains', async () => {
    queued({ did: 'did:svc:k', keyRef: 'unknown' })
    queued({ did: 'did:svc:n', kind: 'create', keyRef: 'unknown' })
    queued({ did: 'did:svc:c', calls: ['0x00'] })
    queued({ did: 'did:svc:m', calls: ['0xff'] })
    queued({ did: 'did:key:x' })
    expect(await makeBatch(needs())).toEqual({ isMade: true, isQueued: true })
    expect(done.refused).toEqual({
      'did:svc:k 0': 'KeyNotFound',
      'did:svc:n 0': 'KeyNotFound',
      'did:svc:c 0': 'CallNotAllowed',
      'did:svc:m 0': 'MalformedAction',
    })
    expect(warned).toMatchObject([{ err: new TypeError('no call of the runtime'), id: 'did:svc:m 0' }])
    expect(ids()).toEqual(['did:key:x 0'])
  })

  test('is none where all of it is refused', async () => {
    queued({ keyRef: 'unknown' })
    expect(await makeBatch(needs())).toEqual({ isMade: true, isQueued: true })
    expect([done.refused, done.extrinsics]).toEqual([{ 'did:svc:a 0': 'KeyNotFound' }, []])
  })

  test.each([
    [0, undefined, [], 0],
    [5, undefined, [], 5],
    [5, 6, [], 7],
    [5, 4, [], 5],
    [5, 6, [8, 7, 10], 9],
    [5, undefined, [6], 5],
  ])(
    'of an account with nonce %i, the last final one %s and %j pending gets %i',
    async (accountNonce, last, nonces, nonce) => {
      onTheWay = { ...onTheWay, nonces, lastFinalNonce: last }
      queued({ kind: 'create' })
      await makeBatch(needs({ accountNonce }))
      expect(done.extrinsics[0]?.nonce).toBe(nonce)
    },
  )
})

describe('the extrinsics on the way', () => {
  test.each([
    [7, ['did:svc:a 0', 'did:svc:b 0']],
    [8, ['did:svc:b 0']],
    [15, ['did:svc:b 0']],
    [16, []],
  ])('%i of them let those through', async (count, through) => {
    onTheWay = { ...onTheWay, nonces: Array.from({ length: count }, (_, n) => n), bytes: new Map([['did:svc:a', 0]]) }
    for (const did of ['did:svc:a', 'did:svc:b']) queued({ did, kind: 'create' })
    expect(await makeBatch(needs())).toEqual({ isMade: through.length > 0, isQueued: true })
    expect(ids()).toEqual(through)
  })

  test.each([
    ['instant', 2, 18 * KB, 32 * KB],
    ['grandpa', 4, 64 * KB, 256 * KB],
  ] as const)(
    '%s: a share sends %i actions of %i bytes at once, and no byte more',
    async (finality, count, size, window) => {
      const send = async (last: number) => {
        queue = []
        done.signed = []
        for (let sequence = 0; sequence < count; sequence++)
          queued({ share: 's', did: `did:svc:${sequence}`, kind: 'create', size: sequence === count - 1 ? last : size })
        await makeBatch(needs({ finality }))
        return ids().length
      }
      expect(await send(size)).toBe(count)
      expect(await send(size + 1)).toBe(count - 1)
      expect(asked.solo).toEqual([window, window])
    },
  )

  test('instant: shares together send 256 kB at once, and no byte more', async () => {
    const send = async (last: number) => {
      queue = []
      done.signed = []
      for (let n = 0; n < 64; n++) queued({ did: `did:svc:${n}`, kind: 'create', size: n === 63 ? last : 4 * KB })
      await makeBatch(needs())
      return ids().length
    }
    expect(await send(4 * KB)).toBe(64)
    onTheWay = { ...onTheWay, bytes: new Map([['other', 1]]) }
    expect(await send(4 * KB + 1)).toBe(63)
  })

  test.each(['instant', 'grandpa'] as const)('%s: 64 actions travel at once', async (finality) => {
    for (let sequence = 0; sequence < 65; sequence++) queued({ sequence, kind: 'create' })
    await makeBatch(needs({ finality }))
    expect(ids()).toHaveLength(64)
  })

  test.each([
    ['instant', 36 * KB],
    ['grandpa', 260 * KB],
  ] as const)('%s: 4 kB of a share travel whatever the others have on the way', async (finality, bytes) => {
    onTheWay = { ...onTheWay, bytes: new Map([['other', bytes]]) }
    queued({ did: 'did:svc:a', kind: 'create', size: 4 * KB })
    queued({ did: 'did:svc:b', kind: 'create', size: 4 * KB + 1 })
    await makeBatch(needs({ finality }))
    expect(ids()).toEqual(['did:svc:a 0'])
  })
})

describe('the search for actions', () => {
  /** Actions of a share that wait for others. */
  const held = (count: number, share: string) => {
    for (let n = 0; n < count; n++) queued({ did: `did:svc:${share}${n}`, share, sequence: 1, before: undefined })
  }

  test('goes on where the first ones of a share wait for others, until some of it are ready', async () => {
    held(600, 's')
    queued({ share: 's', did: 'did:svc:ready', kind: 'create' })
    await makeBatch(needs())
    expect(asked.limits).toEqual([128, 512, 2048])
    expect(ids()).toEqual(['did:svc:ready 0'])
  })

  test('ends where a share has no more, or some of it are ready', async () => {
    held(127, 's')
    queued({ share: 't', did: 'did:svc:ready', kind: 'create' })
    held(200, 't')
    await makeBatch(needs())
    expect(asked.limits).toEqual([128])
  })
})

test('the index is told of each trace once, and the log of a trace that it could not be told', async () => {
  const parent = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`
  const tracing = await startTracing('test', true)
  try {
    for (const trace of ['1', '2', '1'])
      queued({ did: `did:svc:${queue.length}`, kind: 'create', trace: parent(trace) })
    queued({ did: 'did:svc:none', kind: 'create' })
    await makeBatch(needs())
    expect(done.traces).toEqual([parent('1'), parent('2')])
    breaksTraces = true
    await makeBatch(needs())
    expect(warned).toMatchObject([{ err: new Error('no database') }])
    queue = []
    queued({ kind: 'create' })
    await makeBatch(needs())
    expect(warned).toHaveLength(1)
    expect(done.sent).toEqual([1, 2, 3])
  } finally {
    await tracing.stop()
  }
})

test('nobody is told of traces without a receiver of them', async () => {
  queued({ kind: 'create', trace: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01` })
  await makeBatch(needs())
  expect([done.traces, done.sent]).toEqual([[], [1]])
})
