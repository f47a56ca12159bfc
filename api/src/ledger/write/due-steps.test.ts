import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type ScratchDatabase,
  serviceDatabase,
  testContext,
  testTeam,
} from '../../platform/testing/scratch-database.js'
import { dueSteps } from './due-steps.js'
import { type Plan, startJob } from './start-job.js'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await serviceDatabase()
})
afterAll(() => scratch.close())
beforeEach(() => system(sql`delete from service.jobs`))

const system = (statement: ReturnType<typeof sql>) => scratch.db.transaction('system', (tx) => statement.execute(tx))
const moved = (id: string, state: string, block: number | null = null) =>
  system(
    sql`update service.ledger_actions set state = ${state}, block_height = ${block}::int, outcome = '{}' where id = ${id}`,
  )
const due = async () => {
  const steps = Object.entries(await dueSteps(scratch.db))
  return steps.flatMap(([step, isDue]) => (isDue ? [step] : [])).toSorted()
}

async function start(plan?: Plan): Promise<string> {
  const ctx = testContext(scratch, await testTeam(scratch.db))
  const did = `did:svc:${ctx.team}`
  const action = plan ?? { kind: 'dispatch' as const, did, keyId: 1, keyRef: 'ref', calls: [] }
  const job = await ctx.db.transaction(ctx.scope, (tx) => startJob(tx, ctx, { kind: 'test', parts: [{ did, action }] }))
  return `${job.id}-0`
}

test('each step is due where it would find something, also before there is an index', async () => {
  expect(await due()).toEqual([])
  const id = await start()
  expect(await due()).toEqual(['relay'])
  await moved(id, 'accepted')
  expect(await due()).toEqual(['outcomes'])
  await moved(id, 'included')
  expect(await due()).toEqual(['follow'])
  await moved(id, 'included', 3)
  expect(await due()).toEqual([])
  await moved(id, 'done', 3)
  expect(await due()).toEqual([])
})

test('an action is planned once nothing else is on its way to its subject', async () => {
  const plan = { kind: 'plan' as const, subject: 'registry', plan: {} }
  const [first] = [await start(plan), await start(plan)]
  expect(await due()).toEqual(['plan'])
  await moved(first, 'pending')
  expect(await due()).toEqual(['relay'])
  await moved(first, 'done')
  expect(await due()).toEqual(['plan'])
})

test('the follower is due when a block is final and indexed that it has not followed, or that ends an action', async () => {
  const admin = new pg.Client({ connectionString: scratch.adminUrl })
  await admin.connect()
  await admin.query(`create schema ledger; create table ledger.block (height int, hash text);
    create table ledger.finality (settled_height int, settled_hash text);
    grant usage on schema ledger to accredit_test_system; grant all on all tables in schema ledger to accredit_test_system`)
  await admin.end()
  expect(await due()).toEqual([])
  await system(sql`insert into ledger.block values (4, '0x4'), (5, '0x5')`)
  expect(await due()).toEqual([])
  await system(sql`insert into ledger.finality values (4, '0x4')`)
  expect(await due()).toEqual(['follow'])
  await system(sql`insert into service.follower_cursor (id, block, event_index) values ('ledger', 4, 7)`)
  expect(await due()).toEqual(['follow'])
  await system(sql`update service.follower_cursor set event_index = 2147483647`)
  expect(await due()).toEqual([])
  const id = await start()
  await moved(id, 'included', 5)
  expect(await due()).toEqual([])
  await system(sql`update ledger.finality set settled_height = 5, settled_hash = '0x5'`)
  await system(sql`update service.follower_cursor set block = 5`)
  expect(await due()).toEqual(['follow'])
})
