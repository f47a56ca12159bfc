import { readFile, rm, writeFile } from 'node:fs/promises'
import { beforeEach, expect, test } from 'vitest'
import { withSession } from '../accounts/people.testing.js'
import { entriesThatCount } from '../platform/database/tell-journal.js'
import { appendToJournal, readJournal } from '../platform/process/erasure-journal.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { applyJournal } from './apply-journal.js'
import { journalWorld } from './journal.testing.js'

const world = forAllTests(() => journalWorld())
const journal = () => world().journal
beforeEach(() => rm(journal(), { force: true }))

const rows = (text: string, ...values: unknown[]) => world().rows(text, ...values)
const apply = () => applyJournal(world().environment)

/** Asks for the deletion of a new person's team. @returns its line */
async function askDeletion() {
  const { session, email } = await world().signInAnyone()
  const answer = await withSession(world().app, session, 'POST', '/data/delete', { validation: email })
  expect(answer.statusCode).toBe(200)
  const line = (await readJournal(journal())).at(-1)
  if (line?.transaction === undefined || !('deletion' in line)) throw new Error('a deletion has a line')
  return { line, transaction: line.transaction, team: line.deletion.number }
}

/** Makes the database that of before a deletion, which was answered. */
const forget = (team: number) =>
  rows(
    `with d as (delete from service.deletions where team_id = $1) update service.teams set closed = null where id = $1`,
    team,
  )

test('a line stands whose number a database gives to another transaction, since its disk was put back', async () => {
  const { line, transaction, team } = await askDeletion()
  const [now] = await rows('select pg_snapshot_xmax(pg_current_snapshot())::text as xmax')
  const id = String(Number(now?.xmax) + 20)
  await writeFile(journal(), `${JSON.stringify({ ...line, transaction: { ...transaction, id } })}\n`)
  await forget(team)
  expect(await apply()).toMatchObject({ erasures: 1 })
  for (let passed = 0n; passed <= BigInt(id); ) {
    const [begun] = await rows('begin').then(() => rows('select pg_current_xact_id()::text as id'))
    await rows('rollback')
    passed = BigInt(String(begun?.id))
  }
  await apply()
  const entries = await readJournal(journal())
  expect(entries.map((entry) => Object.keys(entry).at(-1))).toEqual(['deletion', 'stands'])
  expect(entriesThatCount(entries).map((entry) => entry.id)).toEqual([line.id])
})

test('a part of the journal that fails holds up none behind it, and is told', async () => {
  const [first, second] = [await askDeletion(), await askDeletion()]
  for (const { team } of [first, second]) await forget(team)
  await rows(`create function service.refuse_first() returns trigger language plpgsql as
    $f$ begin if new.team_id = ${first.team} then raise exception 'refused on purpose'; end if; return new; end $f$`)
  await rows(
    'create trigger refuse_first before insert on service.deletions for each row execute function service.refuse_first()',
  )
  try {
    await expect(apply()).rejects.toThrow('parts of the journal could not be applied')
    const begun = await rows('select team_id::int as team from service.deletions where team_id = any($1)', [
      first.team,
      second.team,
    ])
    expect(begun).toEqual([{ team: second.team }])
  } finally {
    await rows('drop trigger refuse_first on service.deletions')
    await rows('drop function service.refuse_first')
  }
  expect(await apply()).toMatchObject({ erasures: 1 })
})

test('a line that no reader takes is not added', async () => {
  const { line } = await askDeletion()
  const before = await readFile(journal(), 'utf8')
  const damaged = { ...line, at: '+010000-01-01T00:00:00.000Z' }
  await expect(appendToJournal(journal(), [line, damaged])).rejects.toThrow('none of a journal of erasures')
  expect(await readFile(journal(), 'utf8')).toBe(before)
})
