import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, expect, test, vi } from 'vitest'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { endless, ordinary } from './hostile-schemas.testing.js'
import { openSchemaChecks } from './schema-checks.js'

/** The time of a request, in milliseconds. */
const MOST_MS = 200
const checks = forAllTests(async () => openSchemaChecks(MOST_MS))
const mine = 1
const other = 2
const check = (schema: object, subject: unknown, team: number = mine) =>
  checks()
    .forRequest(team)
    .check({ ...schema }, subject)

test('a subject is told whether it satisfies a schema, and each member that does not', async () => {
  expect(await check(ordinary(1), { degree: 'M.Sc.' })).toEqual({ kind: 'satisfied' })
  const twice = [{ degree: 'x' }, { degree: 7 }]
  expect(await check(ordinary(1), twice)).toMatchObject({
    kind: 'unsatisfied',
    faults: [{ message: 'subject[1].degree must be a text; got 7', place: ['subject', 1, 'degree'] }],
  })
  for (const none of [undefined, null, 'text', 7])
    expect(await check(ordinary(1), none)).toMatchObject({ kind: 'unsatisfied' })
  expect(await check(ordinary(1), [])).toMatchObject({ kind: 'unsatisfied', reason: 'subject is empty' })
})

test('all subjects and schemas of a request share its time, after which nothing is checked', async () => {
  const request = checks().forRequest(mine)
  const twenty = Array.from({ length: 20 }, () => ({ x: 'no integer' }))
  const outcomes = await Promise.all([
    request.check(endless(1), [...twenty]),
    request.check(endless(2), twenty),
    request.check(ordinary(2), { degree: 'x' }),
  ])
  for (const outcome of outcomes)
    expect(outcome).toEqual({ kind: 'unchecked', reason: expect.stringMatching(/200 ms|memory/) })
})

test('by the clock a request may wait as long as it takes: for its other work, and for its turn', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const request = checks().forRequest(mine)
    vi.advanceTimersByTime(600_000)
    const before = [1, 2, 3].map((id) => check(endless(30 + id), { x: 'no integer' }))
    const last = request.check(ordinary(5), { degree: 'x' })
    await new Promise(setImmediate)
    vi.advanceTimersByTime(600_000)
    expect(await last).toEqual({ kind: 'satisfied' })
    await Promise.all(before)
  } finally {
    vi.useRealTimers()
  }
})

test('a check before which too much other work has its turn is refused, and nothing is said about its schema', async () => {
  const hasty = openSchemaChecks(MOST_MS, 50)
  const outcomes = await Promise.allSettled(
    Array.from({ length: 6 }, (_, i) => hasty.forRequest(mine).check(endless(40 + i), { x: 'no integer' })),
  )
  await hasty.close()
  expect(outcomes[0]).toMatchObject({ status: 'fulfilled', value: { kind: 'unchecked' } })
  expect(outcomes.at(-1)).toMatchObject({ status: 'rejected', reason: { type: 'unavailable', message: /try again/ } })
})

test('the thread that serves requests stays free while schemas run and are compiled', async () => {
  const everyMs = 10
  const turns = monitorEventLoopDelay({ resolution: everyMs })
  const begun = performance.now()
  turns.enable()
  const subjects = Array.from({ length: 5 }, () => ({ x: 'no integer' }))
  const hostile = Array.from({ length: 3 }, (_, i) => check(endless(10 + i), subjects))
  const compiled = Array.from({ length: 35 }, (_, i) => check(ordinary(100 + i), { degree: 'x' }, other))
  await Promise.all([...hostile, ...compiled])
  turns.disable()
  // The thread would have a turn only after each subject if a subject held it for the whole time of a request.
  expect(turns.count).toBeGreaterThan((performance.now() - begun) / everyMs / 3)
})

test("a team's quick checks end while slow ones of others are still in line", async () => {
  await check(ordinary(3), { degree: 'x' }, other)
  const hostile = [1, 2].flatMap((id) =>
    Array.from({ length: 3 }, (_, i) => check(endless(20 + i), { x: 'no integer' }, 10 + id)),
  )
  let running = hostile.length
  for (const one of hostile) one.finally(() => running--)
  for (let i = 0; i < 20; i++) expect(await check(ordinary(3), { degree: 'x' }, other)).toEqual({ kind: 'satisfied' })
  expect(running).toBeGreaterThan(0)
  for (const outcome of await Promise.all(hostile)) expect(outcome).toMatchObject({ kind: 'unchecked' })
})

test('a check that takes too much memory loses its thread, and no other check is harmed', async () => {
  // Each failed step leaves its error behind.
  const greedy = {
    type: 'object',
    properties: { x: { items: { allOf: Array.from({ length: 900 }, (_, i) => ({ minimum: i + 1 })) } } },
  }
  const subject = { x: Array.from({ length: 16_000 }, () => 0) }
  const [outcome, ...others] = await Promise.all([
    check(greedy, subject),
    ...Array.from({ length: 20 }, (_, i) => check(ordinary(200 + i), { degree: 'x' }, other)),
  ])
  expect(outcome).toMatchObject({ kind: 'unchecked' })
  for (const one of others) expect(one).toEqual({ kind: 'satisfied' })
  expect(await check(ordinary(1), { degree: 'x' })).toEqual({ kind: 'satisfied' })
})

describe('a schema that is to be stored', () => {
  test('is judged as a whole: its extent, its form, its dialect and its cost', async () => {
    await checks().accept(mine, ordinary(4))
    for (const [schema, reason] of [
      [{ description: 'a'.repeat(70_000) }, /size not supported/],
      [{ type: 'string' }, /type must be 'object'/],
      [{ $schema: 'x' }, /\$schema must be/],
      [{ properties: { a: { type: 'strin' } } }, /not a valid draft-07 schema/],
      [endless(3), /at most 1000 steps/],
      [{ allOf: [{ $ref: '#' }] }, /applied to already/],
    ] as const)
      await expect(checks().accept(mine, schema)).rejects.toThrow(reason)
  })
})

test('a schema that was stored before its cost was counted, and never ends, is told as unchecked', async () => {
  // It has to run until its thread is out of stack.
  const patient = openSchemaChecks(10_000)
  const outcome = await patient.forRequest(mine).check({ allOf: [{ $ref: '#' }] }, {})
  await patient.close()
  expect(outcome).toEqual({ kind: 'unchecked', reason: 'the schema fails' })
})
