import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { beforeEach, expect, test, vi } from 'vitest'
import { withSession } from '../accounts/people.testing.js'
import { closeTeam } from '../accounts/teams/close-team.store.js'
import { Pipeline } from '../platform/database/pipeline.js'
import { tellJournal } from '../platform/database/tell-journal.js'
import { readJournal } from '../platform/process/erasure-journal.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { requestAs } from '../platform/testing/request-as.js'
import { sentStatements } from '../platform/testing/sent-statements.js'
import { applyJournal } from './apply-journal.js'
import { journalWorld } from './journal.testing.js'

const world = forAllTests(() => journalWorld())
const journal = () => world().journal
beforeEach(() => rm(journal(), { force: true }))

const signIn = () => world().signInAnyone()
const rows = (text: string, ...values: unknown[]) => world().rows(text, ...values)
const deletionsOf = (team: number) => rows('select from service.deletions where team_id = $1', team)
const linesWithout = async (part: string) =>
  (await readFile(journal(), 'utf8'))
    .split('\n')
    .filter((line) => !line.includes(part))
    .join('\n')

function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** Asks for a deletion whose commit fails. */
async function failToDelete({ session, email }: Awaited<ReturnType<typeof signIn>>): Promise<void> {
  await rows(`create function service.refuse() returns trigger language plpgsql as
    $$ begin raise exception 'this commit fails'; end $$`)
  await rows(`create constraint trigger refuse after insert on service.deletions
    deferrable initially deferred for each row execute function service.refuse()`)
  const answer = await withSession(world().app, session, 'POST', '/data/delete', { validation: email })
  await rows('drop function service.refuse() cascade')
  expect(answer.statusCode).toBe(500)
}

test('a deletion whose commit failed is not carried out later, here or in a restored copy', async () => {
  const person = await signIn()
  await failToDelete(person)
  const [told, undone] = await readJournal(journal())
  expect(told).toMatchObject({ deletion: { number: person.teamId } })
  expect(undone).toEqual({ id: told?.id, at: expect.any(String), transaction: told?.transaction, undone: true })
  expect(await applyJournal(world().environment)).toEqual({ erasures: 0, departures: 0, keys: 0 })
  // Another database cannot be asked, and has the line.
  await writeFile(journal(), (await readFile(journal(), 'utf8')).replaceAll(told?.transaction?.database ?? '', 'other'))
  expect(await applyJournal(world().environment)).toEqual({ erasures: 0, departures: 0, keys: 0 })
  expect(await deletionsOf(person.teamId)).toEqual([])
})

test('a deletion whose process was killed before the commit is passed over by its database, which says so from then on', async () => {
  const person = await signIn()
  await failToDelete(person)
  const before = await readFile(journal(), 'utf8')
  await writeFile(journal(), await linesWithout('undone'))
  expect((await applyJournal(world().environment)).erasures).toBe(0)
  expect(await deletionsOf(person.teamId)).toEqual([])
  expect(await readJournal(journal())).toMatchObject(
    before
      .trim()
      .split('\n')
      .map((line) => ({ id: JSON.parse(line).id })),
  )
  expect((await readJournal(journal())).at(-1)).toMatchObject({ undone: true })
})

test('a deletion of which only another database knows whether it was committed is carried out in a restored copy', async () => {
  const person = await signIn()
  await failToDelete(person)
  const [told] = await readJournal(journal())
  await writeFile(journal(), (await linesWithout('undone')).replaceAll(told?.transaction?.database ?? '', 'other'))
  expect((await applyJournal(world().environment)).erasures).toBe(1)
  expect(await deletionsOf(person.teamId)).toHaveLength(1)
})

test('a deletion that was committed is carried out in a copy from before it, also by the server that it happened on', async () => {
  const { session, email, teamId } = await signIn()
  expect((await withSession(world().app, session, 'POST', '/data/delete', { validation: email })).statusCode).toBe(200)
  expect(await readJournal(journal())).toHaveLength(1)
  await rows('update service.teams set closed = null where id = $1', teamId)
  await rows('delete from service.deletions where team_id = $1', teamId)
  expect((await applyJournal(world().environment)).erasures).toBe(1)
  expect(await deletionsOf(teamId)).toHaveLength(1)
})

test('a deletion that is under way, and is undone then, is not carried out', async () => {
  const { teamId } = await signIn()
  const waits = () =>
    rows(`select from pg_locks join pg_database d on d.oid = database
      where datname = current_database() and locktype = 'advisory' and not granted`)
  const [told, end] = [gate(), gate()]
  const underWay = world().scratch.db.transaction('system', async (tx) => {
    await closeTeam(tx, world().environment, teamId as never)
    told.open()
    await end.opened
    throw new Error('undone')
  })
  await told.opened
  // As the worker does, where it had to wait for too long.
  const applied = applyJournal(world().environment).catch(() => applyJournal(world().environment))
  await expect.poll(waits).toHaveLength(1)
  end.open()
  await expect(underWay).rejects.toThrow('undone')
  expect((await applied).erasures).toBe(0)
  expect(await deletionsOf(teamId)).toEqual([])
})

test('a deletion is not told whose connection is lost as the database is asked which one it is', async () => {
  const { session, email, teamId } = await signIn()
  const send = pg.Client.prototype.query as (...asked: unknown[]) => never
  const sendOrLose = function (this: pg.Client, ...asked: unknown[]) {
    const [first] = asked
    const isIt = first instanceof Pipeline && first.statements.some(({ text }) => text.includes('pg_control_system'))
    if (isIt) Object(this).connection.stream.destroy()
    return send.apply(this, asked)
  }
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(sendOrLose)
  const answer = await withSession(world().app, session, 'POST', '/data/delete', { validation: email })
  spy.mockRestore()
  expect(answer.statusCode).toBe(503)
  expect(await readFile(journal(), 'utf8').catch(() => '')).toBe('')
  expect((await applyJournal(world().environment)).erasures).toBe(0)
  expect(await deletionsOf(teamId)).toEqual([])
})

test('a deletion in a database that keeps to itself which one it is, is told without its transaction', async () => {
  const { session, email } = await signIn()
  await rows('revoke execute on function pg_control_system() from public')
  const answer = await withSession(world().app, session, 'POST', '/data/delete', { validation: email })
  await rows('grant execute on function pg_control_system() to public')
  expect(answer.statusCode).toBe(200)
  expect(await readJournal(journal())).toEqual([
    { id: answer.json().deletions[0], at: expect.any(String), deletion: expect.anything() },
  ])
})

test('an erasure and the end of a key name their transactions, which the role of a team asks for', async () => {
  const { session } = await signIn()
  const { jwt, key } = (await withSession(world().app, session, 'POST', '/keys', { role: 'owner' })).json()
  const erased = await requestAs(world().app, { apiKey: jwt }, 'POST', '/data/erasures', {
    subjectRef: 'did:example:graduate',
  })
  expect((await withSession(world().app, session, 'DELETE', `/keys/${key}`)).statusCode).toBe(200)
  const transaction = { database: expect.stringMatching(/^\d+\/[0-9A-F]{8}\/\d+$/), id: expect.stringMatching(/^\d+$/) }
  expect(await readJournal(journal())).toMatchObject([
    { id: erased.json().id, transaction },
    { id: key, transaction },
  ])
})

test('the number of a transaction is in the log of the database on the disk before its line', async (test) => {
  const [server] = await rows(`select current_setting('server_version_num')::int >= 170000 as "flushes"`)
  test.skip(server?.flushes !== true, 'Postgres has a message that waits for the disk since 17')
  const { teamId } = await signIn()
  const told = world().scratch.db.transaction('system', async (tx) => {
    await sql`update service.teams set name = 'Another' where id = ${teamId}`.execute(tx)
    const { rows: before } = await sql<{ lsn: string }>`select pg_current_wal_insert_lsn()::text as lsn`.execute(tx)
    await tellJournal(tx, world().environment, [
      { id: randomUUID(), deletion: { number: teamId, created: '2001-01-01T00:00:00Z' } },
    ])
    const { rows: after } = await sql<{ is: boolean }>`
      select pg_current_wal_flush_lsn() > ${before[0]?.lsn}::pg_lsn as is`.execute(tx)
    expect(after).toEqual([{ is: true }])
    throw new Error('undone')
  })
  await expect(told).rejects.toThrow('undone')
})

test('lines of one transaction are told together, and so is that they were undone', async () => {
  const { teamId } = await signIn()
  const known = { number: teamId, created: '2001-01-01T00:00:00Z' }
  const tell = (count: number) =>
    sentStatements(async () => {
      const told = world().scratch.db.transaction('system', async (tx) => {
        const all = Array.from({ length: count }, () => ({ id: randomUUID(), deletion: known }))
        await tellJournal(tx, world().environment, all)
        throw new Error('undone')
      })
      await expect(told).rejects.toThrow('undone')
    })
  const one = await tell(1)
  await rm(journal())
  expect(await tell(20)).toEqual(one)
  const lines = await readJournal(journal())
  expect(lines.map((line) => 'undone' in line)).toEqual([...Array(20).fill(false), ...Array(20).fill(true)])
  expect(lines.slice(20).map(({ id }) => id)).toEqual(lines.slice(0, 20).map(({ id }) => id))
})

test('a team is deleted with many sub-accounts by as few lines on the way to the disk as with one', async () => {
  const family = async (count: number) => {
    const { session, email } = await signIn()
    for (let i = 0; i < count; i += 1)
      expect(
        (await withSession(world().app, session, 'POST', '/subaccounts', { name: `Faculty ${i}` })).statusCode,
      ).toBe(200)
    const sent = await sentStatements(() =>
      withSession(world().app, session, 'POST', '/data/delete', { validation: email }),
    )
    return sent.filter((text) => text.includes('pg_current_xact_id')).length
  }
  expect([await family(1), await family(3)]).toEqual([1, 1])
  expect(await readJournal(journal())).toHaveLength(6)
})

test('an account is deleted with many teams by as few lines on the way to the disk as with two', async () => {
  const owner = async (count: number) => {
    const { session, userId } = await signIn()
    for (let i = 0; i < count; i += 1)
      await rows(
        `with t as (insert into service.teams (name) values ('Team ' || $2::text) returning id)
        insert into service.team_members (team_id, user_id, role) select id, $1, 'owner' from t`,
        userId,
        i,
      )
    let deletions: string[] = []
    const sent = await sentStatements(async () => {
      const answer = await withSession(world().app, session, 'POST', '/data/accountdelete', {})
      deletions = answer.json().deletions
    })
    expect(deletions).toHaveLength(count + 1)
    return sent.filter((text) => text.includes('pg_current_xact_id')).length
  }
  // The teams, and the person.
  expect([await owner(1), await owner(4)]).toEqual([2, 2])
})

test('a start sends as few statements for a long journal as for a short one, where the database knows all of it', async () => {
  const { session, email, teamId, userId } = await signIn()
  const answer = await withSession(world().app, session, 'POST', '/data/delete', { validation: email })
  expect(answer.statusCode).toBe(200)
  const [deletion] = await readJournal(journal())
  const known = { number: teamId, created: '2001-01-01T00:00:00.000Z' }
  const others = [
    { erasure: { ...known, marks: [] } },
    { person: { ...known, number: userId } },
    { member: { team: known, person: known } },
    { id: 'ak_test_0123456789ab', key: { ends: known.created } },
  ].map((what, i) => ({ id: `00000000-0000-4000-8000-00000000000${i}`, at: known.created, ...what }))
  const lines = [deletion, ...others].map((line) => `${JSON.stringify(line)}\n`).join('')
  const start = (times: number) =>
    sentStatements(async () => {
      await writeFile(journal(), lines.repeat(times))
      expect(await applyJournal(world().environment)).toEqual({ erasures: 0, departures: 0, keys: 0 })
    })
  expect(await start(200)).toEqual(await start(1))
})

test.each([-3_600_000, 3_600_000])(
  'a departure is told from a later part in the team by a host whose clock is %i ms off',
  async (offset) => {
    const [boss, leaver] = [await signIn(), await signIn()]
    const partOf = () =>
      rows('select from service.team_members where (team_id, user_id) = ($1, $2)', boss.teamId, leaver.userId)
    const join = (joined: unknown) =>
      rows(
        `insert into service.team_members (team_id, user_id, role, joined) values ($1, $2, 'member', coalesce($3::timestamptz, now()))
        returning joined::text`,
        boss.teamId,
        leaver.userId,
        joined,
      )
    const [first] = await join(null)
    world().clock.offset = offset
    const left = await withSession(
      world().app,
      boss.session,
      'DELETE',
      `/teams/${boss.teamId}/members/${leaver.userId}`,
    )
    world().clock.offset = 0
    expect(left.statusCode).toBe(200)
    await join(null)
    expect((await applyJournal(world().environment)).departures).toBe(0)
    expect(await partOf()).toHaveLength(1)
    // A copy from before the departure.
    await rows('delete from service.team_members where (team_id, user_id) = ($1, $2)', boss.teamId, leaver.userId)
    await join(first?.joined)
    expect((await applyJournal(world().environment)).departures).toBe(1)
    expect(await partOf()).toHaveLength(0)
  },
)
