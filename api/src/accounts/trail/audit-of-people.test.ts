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

test('pages of 100,000 rows come in under 20 ms at the 95th percentile, and all of them as a stream', async () => {
  const { app, scratch } = world()
  const { session, userId, teamId } = await world().signIn('long@company.example')
  await scratch.db.transaction('system', (tx) =>
    sql`insert into service.audit (team_id, at, actor, action, subject, address)
      select ${teamId}, now() - (100000 - n) * interval '1 second', 'user:' || ${userId}::bigint, 'createProfile', 'thing ' || n, '203.0.113.9'
      from generate_series(1, 100000) n`.execute(tx),
  )
  const page = async (cursor: string | null) => {
    const query = cursor === null ? '' : `?cursor=${cursor}`
    return (await withSession(app, session, 'GET', `/teams/${teamId}/audit${query}`)).json()
  }
  /** Reads 200 pages. @returns the time in milliseconds that 190 of them stay below */
  const walk = async (): Promise<number> => {
    const times: number[] = []
    const seen = new Set<number>()
    let next: string | null = null
    for (let i = 0; i < 200; i++) {
      const before = performance.now()
      const answer: { list: { id: number }[]; next: string | null } = await page(next)
      times.push(performance.now() - before)
      for (const { id } of answer.list) seen.add(id)
      next = answer.next
    }
    expect(seen.size).toBe(200 * 64)
    return times.sort((a, b) => a - b)[189] ?? Number.NaN
  }
  // A neighbour on the machine disturbs one walk, and pages that cost more disturb all.
  let percentile = await walk()
  for (let again = 0; again < 4 && !(percentile < 20); again++) percentile = await walk()
  expect(percentile).toBeLessThan(20)
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
