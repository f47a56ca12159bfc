import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { requestAs } from '../../platform/testing/request-as.js'
import { accountsWorld, withSession } from '../people.testing.js'

const world = forAllTests(() => accountsWorld())

test('each change is told with who did it, from where, and what changed', async () => {
  const { session, userId, teamId } = await world().signIn('auditor@company.example', { name: 'Ayşe' })
  const { app } = world()
  const from = { 'x-forwarded-for': '203.0.113.9', 'x-request-id': 'mine' }
  await withSession(app, session, 'PATCH', `/teams/${teamId}`, { name: 'Renamed' }, from)
  const made = await withSession(app, session, 'POST', '/keys', { role: 'administrator', alias: 'Server' })
  const { key, jwt } = made.json()
  await requestAs(app, { apiKey: jwt }, 'PATCH', `/keys/${key}`, { ips: ['127.0.0.1'] })
  const { list, next } = (await withSession(app, session, 'GET', `/teams/${teamId}/audit`)).json()
  expect(next).toBe(null)
  const facts = { kind: 'api', role: 'administrator', alias: 'Server', expires: null }
  expect(list).toMatchObject([
    {
      action: 'updateKey',
      actor: expect.stringMatching(/^key:\d+$/),
      actorName: key,
      subject: key,
      before: { ...facts, ips: [] },
      after: { ...facts, ips: ['127.0.0.1'] },
    },
    { action: 'createKey', actor: `user:${userId}`, actorName: 'Ayşe', subject: key, before: null, after: facts },
    {
      action: 'updateTeam',
      actor: `user:${userId}`,
      address: '203.0.113.9',
      before: { name: 'Team of Ayşe' },
      after: { name: 'Renamed' },
      requestId: expect.any(String),
    },
    { action: 'createSession', actor: `user:${userId}` },
    { action: 'createTeam', actor: `user:${userId}` },
  ])
  expect(JSON.stringify(list)).not.toContain(jwt.slice(-52))
  const filtered = await withSession(
    app,
    session,
    'GET',
    `/teams/${teamId}/audit?actor=user:${userId}&action=createKey`,
  )
  expect(filtered.json().list).toHaveLength(1)
})

test('a member does not read the audit', async () => {
  const { session, teamId } = await world().signIn('owner-of-member@company.example')
  const { app } = world()
  const { jwt } = (await withSession(app, session, 'POST', '/keys', { role: 'member' })).json()
  expect((await requestAs(app, { apiKey: jwt }, 'GET', `/teams/${teamId}/audit`)).statusCode).toBe(403)
})

const PAGES = 200
const PAGE_ROWS = 64

test('a page of 100,000 rows takes as long as one of 12,800, and all rows come as a stream', async () => {
  const { app } = world()
  const short = await teamWithRows('short@company.example', PAGES * PAGE_ROWS)
  const long = await teamWithRows('long@company.example', 100_000)
  // Pages of both are read in turn: whatever else the machine does, it does to both.
  for (let i = 0; i < PAGES; i++) for (const team of [short, long]) await team.readPage()
  for (const { seen } of [short, long]) expect(seen.size).toBe(PAGES * PAGE_ROWS)
  expect(median(long.times)).toBeLessThan(2 * median(short.times))
  const { session, teamId } = long
  const stream = await withSession(app, session, 'GET', `/teams/${teamId}/audit`, undefined, { accept: 'text/csv' })
  const lines = stream.body.trimEnd().split('\r\n')
  expect(lines[0]).toBe('id,time,actor,actorName,address,action,subject,before,after,detail,requestId')
  expect(lines).toHaveLength(100_000 + 3)
  const asNdjson = await withSession(app, session, 'GET', `/teams/${teamId}/audit?action=createSession`, undefined, {
    accept: 'application/x-ndjson',
  })
  expect(
    asNdjson.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ action: 'createSession' }])
})

test.each(['cursor=abc', 'from=yesterday', 'actor=', 'limit=0', 'limit=1001', 'who=me'])(
  '?%s is refused with 400',
  async (query) => {
    const { session, teamId } = await world().signIn(`${query.length}-${query.charCodeAt(0)}@company.example`)
    expect((await withSession(world().app, session, 'GET', `/teams/${teamId}/audit?${query}`)).statusCode).toBe(400)
  },
)

/** @returns a team with that many rows beside those of its beginning, and what reads its pages, newest first */
async function teamWithRows(email: string, rows: number) {
  const { app, scratch } = world()
  const { session, userId, teamId } = await world().signIn(email)
  await scratch.db.transaction('system', (tx) =>
    sql`insert into service.audit (team_id, at, actor, action, subject, address)
      select ${teamId}, now() - (${rows}::int - n) * interval '1 second', 'user:' || ${userId}::bigint, 'createProfile', 'thing ' || n, '203.0.113.9'
      from generate_series(1, ${rows}::int) n`.execute(tx),
  )
  const times: number[] = []
  const seen = new Set<number>()
  let cursor = ''
  const readPage = async () => {
    const begun = performance.now()
    const answer = await withSession(app, session, 'GET', `/teams/${teamId}/audit${cursor}`)
    times.push(performance.now() - begun)
    const { list, next }: { list: { id: number }[]; next: string } = answer.json()
    for (const { id } of list) seen.add(id)
    cursor = `?cursor=${next}`
  }
  return { session, teamId, times, seen, readPage }
}

const median = (times: number[]) => times.sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN
