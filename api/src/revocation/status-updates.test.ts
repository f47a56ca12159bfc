import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FailedJob } from '../ledger/write/job-effects.js'
import { startJob } from '../ledger/write/start-job.js'
import { json } from '../platform/database/tables.js'
import {
  type ScratchDatabase,
  serviceDatabase,
  type TestTeam,
  testContext,
  testTeam,
} from '../platform/testing/scratch-database.js'
import type { ChangeByUpdates } from '../status/status-method.js'
import { planOvertakenAgain, plansOf } from './status-updates.js'

const ISSUER = 'did:svc:issuer'
const change: ChangeByUpdates = {
  by: 'updates',
  most: 2,
  update: async () => {
    throw new Error('no update is made here')
  },
}

let scratch: ScratchDatabase
let team: TestTeam

beforeAll(async () => {
  scratch = await serviceDatabase()
  team = await testTeam(scratch.db)
})
afterAll(() => scratch.close())

/** A revocation of two parts that have ended, each with an error or without. */
async function failed(data: Record<string, number>, ...errors: (string | undefined)[]): Promise<FailedJob> {
  const ctx = testContext(scratch, team)
  const indexes = errors.flatMap((_, part) => [2 * part, 2 * part + 1])
  const parts = plansOf(change, ISSUER, { action: 'revoke', registry: '0x01', indexes })
  const outcomes = errors.map((name) => (name === undefined ? {} : { error: { pallet: 'Revocation', name, docs: '' } }))
  const { id } = await ctx.db.transaction(ctx.scope, async (tx) => {
    const job = await startJob(tx, ctx, { kind: 'revoke', data, parts })
    for (const [part, outcome] of outcomes.entries())
      await tx
        .updateTable('ledger_actions')
        .set({ state: 'error' in outcome ? 'refused' : 'done', outcome: json(outcome) })
        .where('id', '=', `${job.id}-${part}`)
        .execute()
    return job
  })
  const ended = outcomes.map((outcome, part) => ({ did: ISSUER, part, outcome }))
  const error = { type: 'VersionMismatch', message: 'why' }
  return {
    id,
    team: team.team,
    kind: 'revoke',
    subject: '0x01',
    data,
    parts: ended,
    block: undefined,
    error,
    trace: null,
  }
}

const goOn = async (...jobs: FailedJob[]) => [
  ...(await scratch.db.transaction('system', (tx) => planOvertakenAgain(tx, jobs))),
]

async function stored({ id }: FailedJob) {
  const { rows } = await scratch.db.transaction('system', (tx) =>
    sql<{ states: string[]; plans: { indexes: number[] }[]; data: object }>`
      select array_agg(a.state order by a.part) as states, json_agg(a.plan order by a.part) as plans, j.data
      from service.jobs j join service.ledger_actions a on a.job_id = j.id
      where j.id = ${id} group by j.id`.execute(tx),
  )
  const [{ states, plans, data } = { states: [], plans: [], data: {} }] = rows
  return { states, indexes: plans.map((plan) => plan.indexes), data }
}

test('many places are changed in parts, each as large as one update', () => {
  const wish = { action: 'unrevoke', registry: '0x01' } as const
  const partOf = (...indexes: number[]) => ({
    did: ISSUER,
    action: { kind: 'plan', subject: '0x01', plan: { ...wish, indexes } },
  })
  expect(plansOf(change, ISSUER, { ...wish, indexes: [7, 3, 5] })).toEqual([partOf(7, 3), partOf(5)])
  expect(plansOf(change, ISSUER, { ...wish, indexes: [7, 3] })).toEqual([partOf(7, 3)])
  expect(plansOf(change, ISSUER, { ...wish, indexes: [] })).toEqual([])
})

test('the parts that somebody else was faster than are planned again, and no others', async () => {
  const job = await failed({}, undefined, 'VersionMismatch')
  expect(await goOn(job)).toEqual([job.id])
  expect(await stored(job)).toEqual({
    states: ['done', 'done', 'planned'],
    indexes: [
      [0, 1],
      [2, 3],
      [2, 3],
    ],
    data: { round: 1 },
  })
})

test('a change is planned again twenty times, and ends with the refusal then', async () => {
  const [last, over] = [await failed({ round: 19 }, 'VersionMismatch'), await failed({ round: 20 }, 'VersionMismatch')]
  expect(await goOn(over, last)).toEqual([last.id])
  expect(await stored(last)).toMatchObject({ states: ['done', 'planned'], data: { round: 20 } })
  expect(await stored(over)).toMatchObject({ states: ['refused'], data: { round: 20 } })
})

test('a change that was refused for anything else ends, though another part was only overtaken', async () => {
  const job = await failed({}, 'VersionMismatch', 'NotAuthorized')
  expect(await goOn(job)).toEqual([])
  expect(await stored(job)).toMatchObject({ states: ['refused', 'refused'], data: {} })
})
