/** The table of what a write does, as README.md has it, row by row over a real ledger. */
import { afterAll, expect, test } from 'vitest'
import { namedIn, operationsIn, rowsOfReadme } from './writes.testing.js'
import { writesOfMany } from './writes-of-many.testing.js'
import { writesOfParticipants } from './writes-of-participants.testing.js'
import { writesOfSchemas } from './writes-of-schemas.testing.js'
import { Stage } from './writes-stage.testing.js'

const stage = await Stage.open()
const { service } = stage
afterAll(() => service.close())

const cases = [...writesOfParticipants(stage), ...writesOfMany(stage), ...writesOfSchemas(stage)]

test('the table of README.md is this one, row by row', () => {
  expect(rowsOfReadme()).toEqual(cases.map(({ row }) => [...row]))
})

test.each(cases)('$row.0: what README.md says is what happens', async (wanted) => {
  const [, call, signs] = wanted.row
  const [height, then] = [await service.height(), new Date().toISOString()]
  expect(await wanted.look()).toEqual(wanted.before)

  const answer = await wanted.write()
  const { calls = [], signer } = wanted
  expect([answer.status, answer.pending, answer.job === undefined || answer.job === '0']).toEqual([
    ...[200, calls.length > 0 && !wanted.startsJob, calls.length === 0],
  ])
  const parts = await service.parts(answer.job)
  expect(parts.map(({ calls: named }) => named.map(({ name }) => name))).toEqual(calls)
  const named = namedIn(call)
  expect(new Set(named.operations)).toEqual(new Set(parts.flatMap((part) => part.calls.flatMap(operationsIn))))
  for (const name of calls.flat()) expect(named.calls).toContain(name)
  expect([signs === '', call.startsWith('none')]).toEqual([signer === undefined, calls.length === 0])

  const isPending = calls.length > 0
  expect(await wanted.look()).toEqual(isPending ? (wanted.pending ?? wanted.before) : wanted.after)
  await service.settle()
  expect(await wanted.look()).toEqual(wanted.after)
  expect(await wanted.look(then)).toEqual(wanted.past ?? wanted.before)
  const dispatched = parts.map(({ callHash }) => ({ did: signer?.(), callHash }))
  expect(await service.dispatchedAfter(height)).toEqual(dispatched)
})
