import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ExecutedPlans } from '../../audit/plans/executed-plans.testing.js'
import {
  type ScratchDatabase,
  serviceDatabase,
  type TestTeam,
  testContext,
  testEnvironment,
  testTeam,
} from '../../platform/testing/scratch-database.js'
import { claimMails, nextMailDue, openMail, queueMail } from './mail.store.js'

/** The mails that wait of the team that has most. */
const MANY = 3_000
const MOST_IN_VAIN = 100

let scratch: ScratchDatabase
let plans: ExecutedPlans
let busy: TestTeam
let calm: TestTeam
beforeAll(async () => {
  scratch = await serviceDatabase()
  plans = await ExecutedPlans.of(scratch)
  busy = await testTeam(scratch.db)
  calm = await testTeam(scratch.db)
  await queue(busy, 'busy@example.org')
  await queue(calm, 'calm@example.org')
  const admin = new pg.Client({ connectionString: scratch.adminUrl })
  await admin.connect()
  await admin.query(`insert into service.jobs (id, team_id, kind)
    select gen_random_uuid(), team_id, kind from service.jobs, generate_series(2, ${MANY}) where team_id = ${busy.team}`)
  // The one that was queued comes first: the others are not sealed for their jobs.
  await admin.query(`insert into service.credential_mails (job_id, team_id, sealed, next_attempt, created)
    select j.id, m.team_id, m.sealed, m.next_attempt + interval '1 ms', m.created
    from service.credential_mails m join service.jobs j on j.team_id = m.team_id and j.id <> m.job_id`)
  await admin.query('analyze service.credential_mails')
  await admin.end()
})
afterAll(async () => {
  plans.close()
  await scratch.close()
})

async function queue(team: TestTeam, to: string): Promise<void> {
  const ctx = testContext(scratch, team)
  const mail = { to, language: 'en' as const, issuer: 'did:example:university', credential: {} }
  await scratch.db.transaction(ctx.scope, (tx) => queueMail(tx, ctx, mail, []))
}

test('the mails of one team are taken and awaited without a look at the thousands of another', async () => {
  const environment = testEnvironment(scratch)
  const { executed } = await plans.during(() => nextMailDue(scratch.db))
  const claimed = await plans.during(() => scratch.db.transaction('system', (tx) => claimMails(tx, environment, 2)))
  expect(claimed.answer.map(({ job, sealed }) => openMail(environment.deriveKey, job, sealed).to).sort()).toEqual([
    'busy@example.org',
    'calm@example.org',
  ])
  const nodes = [...executed, ...claimed.executed].flatMap((statement) => statement.nodes)
  const scanned = nodes.filter((node) => node['Relation Name'] === 'credential_mails')
  expect(scanned.length).toBeGreaterThan(2)
  const inVain = scanned.map((node) => (node['Rows Removed by Filter'] ?? 0) * node['Actual Loops'])
  expect(Math.max(...inVain)).toBeLessThan(MOST_IN_VAIN)
})
