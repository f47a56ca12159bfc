import { Check } from 'typebox/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ScratchDatabase } from '../../platform/testing/scratch-database.js'
import { NO_DATES } from '../testing/dates.js'
import { hashOf, indexedDatabase, MAX_LAG_MS, type TestIndex, testIndex } from '../testing/test-index.js'
import { AtBody, AtQuery, answerAt, pointBefore, resolveAt, sendAt } from './at.js'
import { parseDay, parseInstant } from './instant.js'

let scratch: ScratchDatabase
let ledger: TestIndex

const START = Date.parse('2026-01-01T00:00:00Z')
const DAY_MS = 86_400_000
const STEP_MS = 1000
const LAST = 10
const instantOf = (milliseconds: number) => new Date(START + milliseconds)
const text = (milliseconds: number) => instantOf(milliseconds).toISOString()
const now = instantOf(20_500)
const clock = { now: () => now }
const replyInto = (headers: Map<string, string>) => ({
  header: (name: string, value: string) => void headers.set(name, value),
  type: () => undefined,
  keepWhile: () => undefined,
})
const at = (requested?: string | number, options = {}) => resolveAt(ledger.index, requested, clock, options)
const refused = (requested: string | number) => expect(at(requested)).rejects.toMatchObject({ type: 'invalid_request' })

beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  await ledger.blocks(LAST, { start: new Date(START), stepMs: STEP_MS })
})

afterAll(async () => {
  await ledger?.close()
  await scratch?.close()
})

describe('at', () => {
  test('nothing means now, at the newest block', async () => {
    expect(await at()).toEqual({
      block: 10,
      time: instantOf(10_000),
      hash: hashOf(10),
      isFinal: true,
      isSettled: false,
      instant: now,
      requested: undefined,
      isHead: true,
      lagMs: 0,
    })
  })

  test('an instant means the last block at or before it, and is checked as it is', async () => {
    expect(await at(text(4999))).toMatchObject({ block: 4, instant: instantOf(4999), isHead: false })
    expect(await at(text(5000))).toMatchObject({ block: 5, instant: instantOf(5000), time: instantOf(5000) })
    expect(await at(text(5001))).toMatchObject({ block: 5, instant: instantOf(5001) })
    expect(await at(text(10_000))).toMatchObject({ block: 10, isHead: true, instant: instantOf(10_000) })
    expect(await at(text(15_000))).toMatchObject({ block: 10, isHead: true, instant: instantOf(15_000) })
    expect(await at('2026-01-01T01:00:04.5+01:00')).toMatchObject({ block: 4 })
    expect(await at('2026-01-01T01:00:04.5 01:00')).toMatchObject({ block: 4 })
  })

  test('block n stands for the last millisecond at which it was current, the newest for now', async () => {
    expect(await at('4')).toMatchObject({ block: 4, time: instantOf(4000), instant: instantOf(4999), isHead: false })
    expect(await at(4)).toMatchObject({ block: 4 })
    expect(await at('0')).toMatchObject({ block: 0 })
    expect(await at('10')).toMatchObject({ block: 10, instant: now, isHead: true })
    expect(await at(' 4 ')).toMatchObject({ block: 4 })
  })

  test('now is the time of the newest block where the ledger is ahead of the clock', async () => {
    const earlier = { now: () => instantOf(9_500) }
    for (const requested of [undefined, '10'])
      expect(await resolveAt(ledger.index, requested, earlier)).toMatchObject({ block: 10, instant: instantOf(10_000) })
  })

  test('clocks may differ by two seconds, and not by more', async () => {
    expect(await at(text(22_500))).toMatchObject({ block: 10, instant: instantOf(22_500) })
    await expect(at(text(22_501))).rejects.toMatchObject({
      type: 'invalid_request',
      message: "'at' lies in the future",
    })
    await refused('2999-01-01T00:00:00Z')
  })

  test('there is no point before the first block, and none after the newest one', async () => {
    expect(await at(text(0))).toMatchObject({ block: 0 })
    await expect(at(text(-1))).rejects.toMatchObject({
      type: 'invalid_request',
      message: "'at' is before the first block, of 2026-01-01T00:00:00.000Z",
    })
    for (const long of ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00+14:00'])
      await expect(at(long)).rejects.toMatchObject({
        type: 'invalid_request',
        message: expect.stringContaining('first'),
      })
    await expect(at('11')).rejects.toMatchObject({
      type: 'invalid_request',
      message: "'at' is block 11, and the newest is 10",
    })
    await refused('4294967295')
  })

  test('a block whose successor the index took back meanwhile is refused', async () => {
    const ahead = { ...ledger.index, head: async () => ({ ...(await ledger.index.head()), block: LAST + 2 }) }
    for (const block of [LAST, LAST + 1])
      await expect(resolveAt(ahead, block, clock)).rejects.toMatchObject({ type: 'invalid_request' })
  })

  test('a settled point means the same for ever, and is known without a look at the newest block', async () => {
    const unseen = { ...ledger.index, head: () => Promise.reject(new Error('the head was asked for')) }
    for (const settled of ['3', text(3500)]) {
      const known = await at(settled)
      expect(known.isSettled).toBe(true)
      expect(await resolveAt(unseen, settled, clock)).toEqual(known)
    }
    for (const other of [undefined, String(LAST), text(LAST * STEP_MS)])
      await expect(resolveAt(unseen, other, clock)).rejects.toThrow('the head was asked for')
  })

  test('refusals call it by the name that the caller gave it', async () => {
    for (const requested of ['11', 'yesterday', text(-1), '2999-01-01T00:00:00Z'])
      await expect(at(requested, { name: 'since' })).rejects.toMatchObject({
        message: expect.stringMatching(/^since /),
      })
  })

  test('an answer names its block in its headers', async () => {
    const headers = new Map<string, string>()
    expect(await answerAt({ index: ledger.index, clock, reply: replyInto(headers) }, '4')).toEqual(await at('4'))
    expect(headers).toEqual(
      new Map([
        ['Accredit-Block', '4'],
        ['Accredit-Block-Time', text(4000)],
        ['Accredit-Final', 'true'],
      ]),
    )
  })

  test('is settled before the newest block that is final here, and by this block’s hash', async () => {
    await ledger.finality({ height: 9 })
    await ledger.replaceBlock(9, hashOf(99))
    expect(await at('8'), 'the final block is one of another fork').toMatchObject({ isSettled: false, isFinal: false })
    await ledger.replaceBlock(9, hashOf(9))
    expect(await at('8')).toMatchObject({ isSettled: true })
    for (const point of ['9', text(9000)]) expect(await at(point)).toMatchObject({ block: 9, isSettled: false })
    await ledger.finality({ height: 10 })
    expect(await at('9')).toMatchObject({ hash: hashOf(9), isSettled: true })
    expect(await at(text(9999))).toMatchObject({ block: 9, hash: hashOf(9), isSettled: true })
    for (const newest of ['10', text(10_000)]) expect(await at(newest)).toMatchObject({ isSettled: false })
  })

  test('a query names it by a text, of which the reference shows each kind, a body by the number of a block as well', () => {
    const kindOf = (example: string) =>
      /^\d+$/.test(example) ? 'block' : parseInstant(example) ? 'instant' : parseDay(example) && 'day'
    const examples: string[] = Reflect.get(AtQuery.properties.at, 'examples')
    expect(examples.map(kindOf)).toEqual(['block', 'instant', 'day'])
    for (const allowed of ['4', 'x'.repeat(64), 0, 4_294_967_295]) expect(Check(AtBody, allowed)).toBe(true)
    for (const other of ['x'.repeat(65), -1, 1.5, 4_294_967_296, null]) expect(Check(AtBody, other)).toBe(false)
  })

  test('a text that is neither a block nor an instant is refused', async () => {
    const malformed = ['-1', '1.5', '1e3', '0x10', 'now', '2026-01-01T00:00:04', ...Object.values(NO_DATES)]
    const message = expect.stringContaining('must be a block number')
    for (const text of [...malformed, '2026-01-01T25:00:00Z', '', ' ', '99999999999', '4 5', '२'])
      await expect(at(text), text).rejects.toMatchObject({ type: 'invalid_request', message })
    expect(await at('0000000004')).toMatchObject({ block: 4 })
  })

  test('a day that has not ended lies in the future', async () => {
    for (const day of ['2026-01-01', ' 2026-01-01 '])
      await expect(at(day)).rejects.toMatchObject({
        type: 'invalid_request',
        message: "'at' lies in the future: a full date means its last millisecond",
      })
  })

  test('an instant means the last of blocks with one time; a day means its last millisecond', async () => {
    const same = await indexedDatabase()
    const other = await testIndex(same)
    try {
      for (const [height, ms] of [0, 0, 1000, 1000, 1000, 3000].entries()) await other.block(height, instantOf(ms))
      const there = (requested: string) => resolveAt(other.index, requested, clock)
      expect(await there(text(1000))).toMatchObject({ block: 4 })
      expect(await there(text(2999))).toMatchObject({ block: 4 })
      expect(await there('2')).toMatchObject({ block: 2, instant: instantOf(1000) })
      expect(await there('4')).toMatchObject({ block: 4, instant: instantOf(2999) })
      const third = { block: 3, time: instantOf(1000), hash: hashOf(3) }
      expect(await pointBefore(other.index, third.time, third)).toEqual(third)
      for (const [place, ms] of [DAY_MS - 1, DAY_MS].entries()) await other.block(6 + place, instantOf(ms))
      const last = { block: 3, time: instantOf(1000), hash: hashOf(3) }
      expect(await pointBefore(other.index, instantOf(1000), last)).toEqual(last)
      expect(await pointBefore(other.index, instantOf(999), last)).toEqual({
        block: 1,
        time: instantOf(0),
        hash: hashOf(1),
      })
      expect(await pointBefore(other.index, instantOf(-1), last)).toBeUndefined()
      const later = { now: () => instantOf(3 * DAY_MS) }
      const day = await resolveAt(other.index, '2026-01-01', later, { mayBeStale: true })
      expect(day).toMatchObject({ block: 6, instant: instantOf(DAY_MS - 1) })
    } finally {
      await other.close()
      await same.close()
    }
  })
})

test('an index that does not begin with block 0 knows nothing of those before', async () => {
  const late = await indexedDatabase()
  const other = await testIndex(late)
  for (const height of [5, 6, 7]) await other.block(height, instantOf(height * STEP_MS))
  expect(await resolveAt(other.index, '5', clock)).toMatchObject({ block: 5 })
  for (const block of ['3', '4'])
    await expect(resolveAt(other.index, block, clock)).rejects.toMatchObject({
      type: 'invalid_request',
      message: `'at' is block ${block}, before the first one`,
    })
  await other.close()
  await late.close()
})

test('an answer names its block, and a refusal the question by its own name', async () => {
  const headers = new Map<string, string>()
  sendAt({ reply: replyInto(headers) }, await at('4'))
  expect(Object.fromEntries(headers)).toEqual({
    'Accredit-Block': '4',
    'Accredit-Block-Time': text(4000),
    'Accredit-Final': 'true',
  })
  await expect(at('x', { name: 'from' })).rejects.toMatchObject({ message: expect.stringMatching(/^from must be/) })
})

describe('a lagging index', () => {
  /** The time until the question is lag, too. */
  const A_WHILE_MS = 60_000
  const unavailable = { type: 'ledger_unavailable', status: 503 }

  test('refuses the present and still tells the past', async () => {
    await ledger.finality({ height: 11, behindMsAgo: MAX_LAG_MS + 1 })
    await expect(at()).rejects.toMatchObject(unavailable)
    await expect(at('10')).rejects.toMatchObject(unavailable)
    expect(await at('9')).toMatchObject({ block: 9 })
  })

  test('is told of by an answer that may be an old one, and not by one about the past', async () => {
    await ledger.finality({ height: 11, behindMsAgo: MAX_LAG_MS + 1 })
    const staleOf = async (requested?: string) => {
      const headers = new Map<string, string>()
      const ctx = { index: ledger.index, clock, reply: replyInto(headers) }
      const { block } = await answerAt(ctx, requested, { mayBeStale: true })
      return [block, headers.get('Accredit-Stale')]
    }
    for (const present of [undefined, '10', text(10_000)])
      expect(await staleOf(present)).toEqual([10, 'The index lags behind the ledger'])
    expect(await staleOf('9')).toEqual([9, undefined])
    await ledger.finality({ height: 10 })
    expect(await staleOf()).toEqual([10, undefined])
  })

  test('is one that lags more than it may, to the millisecond', async () => {
    const lagging = (lagMs: number) => ({
      ...ledger.index,
      head: async () => ({ ...(await ledger.index.head()), lagMs, indexLagMs: lagMs }),
    })
    expect(await resolveAt(lagging(MAX_LAG_MS), undefined, clock)).toMatchObject({ block: 10, lagMs: MAX_LAG_MS })
    await expect(resolveAt(lagging(MAX_LAG_MS + 1), undefined, clock)).rejects.toMatchObject(unavailable)
  })

  test('counts as lagging when nobody has heard the node', async () => {
    await ledger.finality({ height: 10, seenMsAgo: MAX_LAG_MS + 1 })
    await expect(at()).rejects.toMatchObject(unavailable)
    await ledger.finality({ height: 10, seenMsAgo: MAX_LAG_MS - A_WHILE_MS, behindMsAgo: 1000 })
    expect(await at()).toMatchObject({ block: 10 })
  })
})

test('the last block before an instant is at most the point of the question, and may not exist', async () => {
  const point = (block: number) => ({ block, time: instantOf(block * STEP_MS), hash: hashOf(block) })
  const before = (milliseconds: number) => pointBefore(ledger.index, instantOf(milliseconds), point(7))
  for (const milliseconds of [7000, 7001, 15_000]) expect(await before(milliseconds)).toEqual(point(7))
  for (const milliseconds of [6000, 6999]) expect(await before(milliseconds)).toEqual(point(6))
  expect(await before(-1)).toBeUndefined()
})

test('a point has no answer without an index, and none before its first block', async () => {
  const empty = await indexedDatabase()
  const other = await testIndex(empty)
  await expect(resolveAt(other.index, undefined, clock)).rejects.toMatchObject({ type: 'ledger_unavailable' })
  for (const height of [5, 6]) await other.block(height, instantOf(height * STEP_MS))
  expect(await resolveAt(other.index, '5', clock)).toMatchObject({ block: 5 })
  for (const block of ['3', '4'])
    await expect(resolveAt(other.index, block, clock)).rejects.toMatchObject({
      type: 'invalid_request',
      message: `'at' is block ${block}, before the first one`,
    })
  await other.close()
  await empty.close()
})
