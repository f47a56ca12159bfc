import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silenceWatch } from '../src/actions/lease.js'
import { effects } from './effects.js'
import { type Gate, installGate } from './gate.js'
import {
  launchSigner,
  newDid,
  openWorld,
  type RunningSigner,
  settled,
  startSigner,
  until,
  type World,
} from './support.js'

const holdMs = 5_000
const hold = { SIGNER_HOLD_MS: String(holdMs) }

describe('a signer that gives no sign of life', () => {
  let world: World
  let gate: Gate
  let first: RunningSigner
  let second: RunningSigner

  beforeAll(async () => {
    world = await openWorld()
    gate = await installGate(world.sql)
    first = await startSigner(world, hold)
    second = launchSigner(world, hold)
  })
  afterAll(async () => {
    await Promise.all([first.kill(), second.kill()])
    await world.close()
  })

  test('is not cut off as long as it gives one', async () => {
    await until(() => says(second, 'Another signer holds this database'))
    const began = await lastSign()
    await until(async () => (await lastSign()) - began > holdMs + 500)
    expect(says(second, 'it is cut off')).toBe(false)
    expect(await first.client.health()).toEqual({ status: 'ok' })
    expect(isReady(second)).toBe(false)
  })

  test('is cut off with its open write, ends when it wakes, and its work is done once by the next', async () => {
    const actor = await newDid(first.client)
    await gate.close('signed')
    await first.client.submitActions([actor.creation])
    await gate.isWaitedFor('signed')
    first.process.kill('SIGSTOP')
    await gate.open('signed')
    await until(() => isReady(second))
    expect(says(second, 'it is cut off')).toBe(true)
    expect((await settled(second.client, [actor.creation.id])).get(actor.creation.id)).toMatchObject({ state: 'final' })
    first.process.kill('SIGCONT')
    await first.ended
    expect(first.process.exitCode).toBe(1)
    expect(says(first, 'The lock on the database is lost')).toBe(true)
    expect((await effects(world.ledger.url)).happened.get(actor.did)).toEqual(['created'])
    expect(await second.client.health()).toEqual({ status: 'ok' })
  })

  async function lastSign(): Promise<number> {
    const { rows } = await world.sql.query('select extract(epoch from seen_at) * 1000 as ms from signer.holder')
    return Number(rows[0]?.ms)
  }
})

test.each([
  [999, false],
  [1000, true],
  [1001, true],
])('%i ms after a sign that is good for 1000 it is silent: %s', (ms, expected) => {
  let now = 5
  const isSilent = silenceWatch(() => now)
  const sign = { name: 'a', seen: '1', hold_ms: 1000 }
  expect(isSilent(sign)).toBe(false)
  now += ms
  expect(isSilent(sign)).toBe(expected)
})

test('silence is counted from the last sign, for each holder anew', () => {
  let now = 0
  const isSilent = silenceWatch(() => now)
  const sign = (name: string, seen: string) => ({ name, seen, hold_ms: 1000 })
  const steps = [sign('a', '1'), sign('a', '2'), sign('b', '2'), undefined, sign('b', '2'), sign('b', '2')]
  const answers = steps.map((step) => {
    now += 999
    return isSilent(step)
  })
  expect(answers).toEqual([false, false, false, false, false, false])
  now += 1
  expect(isSilent(sign('b', '2'))).toBe(true)
})

function says(signer: RunningSigner, sentence: string): boolean {
  return signer.lines.some((line) => line.includes(sentence))
}

function isReady(signer: RunningSigner): boolean {
  return signer.lines.some((line) => line.startsWith('{"ready"'))
}
