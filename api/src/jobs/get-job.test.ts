import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { startJob } from '../ledger/write/start-job.js'
import { serviceDatabase, testContext, testEnvironment, testTeam } from '../platform/testing/scratch-database.js'
import { jobsWith } from './operations.js'

const jobs = jobsWith(() => ({}))

let scratch: Awaited<ReturnType<typeof serviceDatabase>>
beforeAll(async () => {
  scratch = await serviceDatabase()
})
afterAll(() => scratch.close())

test('a job is seen by its team and is missing for every other one', async () => {
  const app = await buildApp(testEnvironment(scratch), [jobs])
  const [mine, other] = [await testTeam(scratch.db), await testTeam(scratch.db)]
  const ctx = testContext(scratch, mine)
  const did = 'did:svc:example'
  const part = {
    did,
    action: { kind: 'dispatch' as const, did, keyId: 1, keyRef: 'ref', calls: [new Uint8Array([1])] },
  }
  const job = await ctx.db.transaction(ctx.scope, (tx) =>
    startJob(tx, ctx, { kind: 'test', subject: did, parts: [part, part] }),
  )
  const get = (id: string, key: string) => app.inject({ url: `/jobs/${id}`, headers: { 'svc-api-token': key } })

  expect((await get(job.id, mine.apiKey)).json()).toEqual({ id: job.id, status: 'todo', result: {} })
  expect((await get(job.id, other.apiKey)).json()).toEqual({
    status: 404,
    type: 'not_found',
    message: 'Job was not found',
  })
  expect((await get('0', mine.apiKey)).json()).toEqual({ id: '0', status: 'finalized', result: {} })
  const actions = await scratch.db.read('system', (r) =>
    r.selectFrom('ledger_actions').select(['id', 'sequence']).orderBy('part').execute(),
  )
  expect(actions).toEqual([
    { id: `${job.id}-0`, sequence: 0 },
    { id: `${job.id}-1`, sequence: 1 },
  ])
  await app.close()
})
