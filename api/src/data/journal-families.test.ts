import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { withSession } from '../accounts/people.testing.js'
import { appendToJournal } from '../platform/process/erasure-journal.js'
import { atOnceIn } from '../platform/testing/at-once.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { requestAs } from '../platform/testing/request-as.js'
import { applyJournal } from './apply-journal.js'
import { journalWorld, namedInJournal } from './journal.testing.js'

const world = forAllTests(() => journalWorld())
beforeEach(() => rm(world().journal, { force: true }))

const rows = (text: string, ...values: unknown[]) => world().rows(text, ...values)
const apply = () => applyJournal(world().environment)
const deletionsOf = async (...teams: number[]) =>
  rows('select team_id::int as team, id from service.deletions where team_id = any($1) order by team_id', teams)
const opening = (...teams: number[]) => rows('select from service.teams where id = any($1) and closed is null', teams)

/** Tells the journal alone that a team was deleted, as a copy from before finds it. */
async function tellDeletion(team: number): Promise<string> {
  const id = randomUUID()
  const at = new Date().toISOString()
  await appendToJournal(world().journal, [{ id, at, deletion: await namedInJournal(world().writer, team) }])
  return id
}

async function newChild(session: string): Promise<number> {
  const answer = await withSession(world().app, session, 'POST', '/subaccounts', { name: 'Faculty' })
  expect(answer.statusCode).toBe(200)
  return answer.json().id
}

test('a deletion that is begun again takes a sub-account with it that was made in the restored copy', async () => {
  const { session, teamId } = await world().signInAnyone()
  const id = await tellDeletion(teamId)
  const child = await newChild(session)
  expect((await apply()).erasures).toBe(1)
  expect(await deletionsOf(teamId, child)).toEqual([
    { team: teamId, id },
    { team: child, id: expect.any(String) },
  ])
  expect(await opening(teamId, child)).toEqual([])
  expect((await apply()).erasures).toBe(0)
})

test('a deletion that is begun again waits for a sub-account that is made at this moment, and takes it with it', async () => {
  const { teamId } = await world().signInAnyone()
  await tellDeletion(teamId)
  let [made, open] = [0, () => {}]
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const making = world().environment.db.transaction('system', async (tx) => {
    const { rows: inserted } = await sql<{ id: string }>`
      insert into service.teams (name, parent_id) values ('Faculty', ${teamId}) returning id`.execute(tx)
    made = Number(inserted[0]?.id)
    await opened
  })
  await expect.poll(() => made).toBeGreaterThan(0)
  const applied = apply()
  const waits = () =>
    rows(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  try {
    await expect.poll(waits).toHaveLength(1)
  } finally {
    open()
    await making
  }
  expect((await applied).erasures).toBe(1)
  expect(await deletionsOf(teamId, made)).toHaveLength(2)
  expect(await opening(teamId, made)).toEqual([])
})

test('a deletion that is begun again while a temporary key makes something in the team begins', async () => {
  const { app, scratch, signInAnyone } = world()
  const { session, teamId } = await signInAnyone()
  const child = await newChild(session)
  const body = { selectedTeamId: teamId, isTestmode: true }
  const { key: apiKey } = (await withSession(app, session, 'POST', '/keys/temporary-key', body)).json()
  await tellDeletion(teamId)
  const [begun, made] = await atOnceIn<number>(scratch, {
    hold: (tx) => sql`select from service.teams where id = ${child} for update`.execute(tx),
    first: async () => (await apply()).erasures,
    second: async () => (await requestAs(app, { apiKey }, 'POST', '/subaccounts', { name: 'Late' })).statusCode,
  })
  expect([begun, made]).toEqual([1, 401])
  expect(await opening(teamId, child)).toEqual([])
})

test('a sub-account that has a line of its own is deleted once, by the id that its line has', async () => {
  const { session, email, teamId } = await world().signInAnyone()
  const child = await newChild(session)
  const answer = await withSession(world().app, session, 'POST', '/data/delete', { validation: email })
  expect(answer.statusCode).toBe(200)
  const before = await deletionsOf(teamId, child)
  expect(before).toHaveLength(2)
  await rows('delete from service.deletions where team_id = any($1)', [teamId, child])
  await rows('update service.teams set closed = null where id = any($1)', [teamId, child])
  expect((await apply()).erasures).toBe(2)
  expect(await deletionsOf(teamId, child)).toEqual(before)
})
