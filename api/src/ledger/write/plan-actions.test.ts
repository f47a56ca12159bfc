import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type ScratchDatabase,
  serviceDatabase,
  type TestTeam,
  testContext,
  testEnvironment,
  testTeam,
} from '../../platform/testing/scratch-database.js'
import type { CarryingAction, JobEffects, NothingToDo, PlannedAction } from './job-effects.js'
import type { GivenUp } from './pending-actions.js'
import { planActions, planAgain } from './plan-actions.js'
import type { LedgerAction } from './signer-door.js'
import { startJob } from './start-job.js'

let scratch: ScratchDatabase
let team: TestTeam
/** The plans that were made into one action each. */
let asked: string[][]
let answer: (planned: readonly PlannedAction[]) => CarryingAction | NothingToDo | GivenUp

beforeAll(async () => {
  scratch = await serviceDatabase()
})
afterAll(() => scratch.close())
beforeEach(async () => {
  team = await testTeam(scratch.db)
  asked = []
  answer = (planned) => ({ action: dispatched(planned[0]?.did ?? ''), carries: planned.length })
  await system(sql`delete from service.jobs`)
})

const nothing = { finalized: async () => undefined, failed: async () => undefined }
const plan = async (_: unknown, planned: readonly PlannedAction[]) => {
  asked.push(planned.map((one) => String(one.plan.name)))
  return answer(planned)
}
const jobEffects: JobEffects = {
  first: { ...nothing, plan },
  second: { ...nothing, plan },
  other: { ...nothing, plan: (environment, planned) => plan(environment, planned) },
}

const system = (statement: ReturnType<typeof sql>) => scratch.db.transaction('system', (tx) => statement.execute(tx))
const dispatched = (did: string): LedgerAction => ({ kind: 'dispatch', did, keyId: 1, keyRef: 'ref', calls: [] })
const round = () => planActions({ ...testEnvironment(scratch), jobEffects })

async function planned(name: string, subject = 'registry', kind = 'first'): Promise<string> {
  const ctx = testContext(scratch, team)
  const part = { did: `did:svc:${subject}`, action: { kind: 'plan' as const, subject, plan: { name } } }
  const job = await ctx.db.transaction(ctx.scope, (tx) => startJob(tx, ctx, { kind, parts: [part] }))
  return `${job.id}-0`
}

const actionOf = (id: string) =>
  scratch.db.read('system', (reader) =>
    reader
      .selectFrom('ledger_actions')
      .select(['state', 'sequence', 'answers', 'action', 'outcome'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow(),
  )

test("the oldest planned action of a subject carries the others, and takes its place in its DID's sequence", async () => {
  const [one, two, three] = [await planned('1'), await planned('2', 'registry', 'second'), await planned('3')]
  expect(await round()).toBe(1)
  expect(asked).toEqual([['1', '2', '3']])
  expect(await actionOf(one)).toMatchObject({
    state: 'pending',
    sequence: 0,
    answers: [two, three],
    action: dispatched('did:svc:registry'),
  })
  expect(await actionOf(two)).toMatchObject({ state: 'planned', sequence: null })
})

test('an action carries no more than it can, and plans of another kind are none of it', async () => {
  answer = ([first]) => ({ action: dispatched(first?.did ?? ''), carries: 1 })
  const [one] = [await planned('1'), await planned('2'), await planned('3', 'registry', 'other')]
  await round()
  expect(asked).toEqual([['1', '2']])
  expect(await actionOf(one)).toMatchObject({ state: 'pending', answers: null })
})

test.each(['pending', 'accepted', 'included'])('nothing is made for a subject while an action is %s', async (state) => {
  const [one, two, elsewhere] = [await planned('1'), await planned('2'), await planned('3', 'another')]
  answer = ([first]) => ({ action: dispatched(first?.did ?? ''), carries: 1 })
  await round()
  await system(sql`update service.ledger_actions set state = ${state} where id in (${one}, ${elsewhere})`)
  expect(await round()).toBe(0)
  expect(asked).toHaveLength(2)
  await system(sql`update service.ledger_actions set state = 'done' where id = ${one}`)
  expect(await round()).toBe(1)
  expect(await actionOf(two)).toMatchObject({ state: 'pending' })
})

test('a plan that cannot be carried out ends the oldest with the reason, and the next one has its turn', async () => {
  const [one, two] = [await planned('1'), await planned('2')]
  answer = () => ({ type: 'not_found', message: 'The registry was removed' })
  expect(await round()).toBe(1)
  expect(await actionOf(one)).toMatchObject({
    state: 'included',
    outcome: { error: { pallet: 'Service', name: 'not_found', docs: 'The registry was removed' } },
  })
  expect(await actionOf(two)).toMatchObject({ state: 'planned' })
})

test('plans that would change nothing are done without an action, and the others have their turn', async () => {
  const [one, two, three] = [await planned('1'), await planned('2'), await planned('3')]
  answer = () => ({ isDone: true, carries: 2 })
  expect(await round()).toBe(1)
  for (const id of [one, two]) expect(await actionOf(id)).toMatchObject({ state: 'included', outcome: {} })
  expect(await actionOf(three)).toMatchObject({ state: 'planned' })
})

test('a plan that fails stops no other subject, and is tried again', async () => {
  const [one, two] = [await planned('1'), await planned('2', 'another')]
  answer = ([first]) => {
    if (first?.plan.name === '1') throw new Error('no signer')
    return { action: dispatched(first?.did ?? ''), carries: 1 }
  }
  expect(await round()).toBe(1)
  expect([(await actionOf(one)).state, (await actionOf(two)).state]).toEqual(['planned', 'pending'])
  answer = ([first]) => ({ action: dispatched(first?.did ?? ''), carries: 1 })
  await system(sql`update service.ledger_actions set state = 'done' where id = ${two}`)
  expect(await round()).toBe(1)
  expect((await actionOf(one)).state).toBe('pending')
})

test('an overtaken part is planned again in its old place, ahead of later parts', async () => {
  const one = await planned('1')
  answer = ([first]) => ({ action: dispatched(first?.did ?? ''), carries: 1 })
  await round()
  await planned('2')
  await system(sql`update service.ledger_actions set state = 'refused', outcome = '{"error":{}}' where id = ${one}`)
  const job = one.slice(0, -2)
  expect(await scratch.db.transaction('system', (tx) => planAgain(tx, job))).toBe(true)
  await system(sql`update service.ledger_actions set state = 'done' where id = ${one}`)
  await round()
  expect(asked).toEqual([['1'], ['1', '2']])
  expect((await actionOf(`${job}-1`)).state).toBe('pending')
})

test('a refused part that was never planned is not planned again', async () => {
  const ctx = testContext(scratch, team)
  const parts = [{ did: 'did:svc:a', action: dispatched('did:svc:a') }]
  const job = await ctx.db.transaction(ctx.scope, (tx) => startJob(tx, ctx, { kind: 'first', parts }))
  await system(
    sql`update service.ledger_actions set state = 'refused', outcome = '{"error":{}}' where job_id = ${job.id}`,
  )
  expect(await scratch.db.transaction('system', (tx) => planAgain(tx, job.id))).toBe(false)
  expect(await round()).toBe(0)
})
