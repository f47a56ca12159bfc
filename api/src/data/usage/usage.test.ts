import { EventEmitter, once } from 'node:events'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { accounts } from '../../accounts/operations.js'
import { accountsWorld, answerTo, type Person, withSession } from '../../accounts/people.testing.js'
import type { TeamId } from '../../platform/database/ids.js'
import { ApiError } from '../../platform/errors.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { liveWorld } from '../data.testing.js'
import { data } from '../operations.js'
import { foldUsage } from './fold-usage.js'
import { foldCounts } from './usage.store.js'

const world = forAllTests(() => liveWorld())

let people = 0
const newTeam = () => {
  people += 1
  return world().signIn(`owner-${people}@usage.example`)
}

const ask = (person: Person, method: string, url: string, body?: object) =>
  answerTo(world().app, person, method, url, body)

const childOf = async (parent: Person, monthlyLimit?: number): Promise<number> =>
  (await ask(parent, 'POST', '/subaccounts', { name: 'Faculty', ...(monthlyLimit !== undefined && { monthlyLimit }) }))
    .body.id

const refusals = (results: PromiseSettledResult<void>[]) =>
  results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))

const typesOf = async (person: Person): Promise<string[]> =>
  (await ask(person, 'GET', '/data/notifications')).body.list.map(({ type }: { type: string }) => type)

test('the last place of a month is given once, also when many ask at the same time', async () => {
  const person = await newTeam()
  expect(refusals(await world().use(person.teamId, 9))).toEqual([])
  expect((await ask(person, 'GET', '/data/limits')).body.transactions).toMatchObject({ limit: 10, used: 9 })
  const results = await world().use(person.teamId, 12)
  const refused = refusals(results)
  expect(refused).toHaveLength(11)
  for (const refusal of refused) {
    expect(refusal).toBeInstanceOf(ApiError)
    expect(refusal).toMatchObject({
      type: 'limit_reached',
      status: 402,
      message: 'The plan includes 10 transactions a month: 10 are used, and 0 on their way',
    })
  }
  const { body } = await ask(person, 'GET', '/data/transactions')
  expect(body.total).toBe(10)
  expect(body.list).toHaveLength(10)
  expect(body.list[0]).toMatchObject({
    kind: 'credential',
    account: person.teamId,
    actor: 'key:1',
    requestId: 'request',
  })
})

test('a team is told once when four fifths of its month are used, and when all of it is', async () => {
  const person = await newTeam()
  await world().use(person.teamId, 7)
  expect(await typesOf(person)).toEqual([])
  await world().use(person.teamId, 1)
  expect(await typesOf(person)).toEqual(['plan_limit_near'])
  await world().use(person.teamId, 1)
  await world().use(person.teamId, 5)
  expect(await typesOf(person)).toEqual(['plan_limit_reached', 'plan_limit_near'])
})

test('a transaction that is rolled back counts nothing, and takes no place', async () => {
  const person = await newTeam()
  const { db } = world().scratch
  const scope = { teams: [person.teamId as TeamId], actor: 'key:1' } as const
  await expect(
    db.transaction(scope, async (tx) => {
      tx.bill('credential')
      throw new Error('refused')
    }),
  ).rejects.toThrow('refused')
  await db.dryRun(scope, (dry) => dry.transaction(scope, async (tx) => tx.bill('credential')))
  expect((await ask(person, 'GET', '/data/transactions')).body).toEqual({ total: 0, list: [] })
  expect(refusals(await world().use(person.teamId, 10))).toEqual([])
})

test('transactions of a sub-account count for both, and its own limit holds within the plan of its parent', async () => {
  const parent = await newTeam()
  const child = await childOf(parent, 3)
  expect(refusals(await world().use(child, 5))).toHaveLength(2)
  await world().use(parent.teamId, 1, 'verification')
  const { body: usage } = await ask(parent, 'GET', `/subaccounts/${child}/usage`)
  expect(usage).toHaveLength(3)
  expect(usage.map(({ account }: { account: number }) => account)).toEqual([child, child, child])
  expect((await ask(parent, 'GET', '/data/limits')).body.transactions).toMatchObject({ limit: 10, used: 4 })
  expect((await ask(parent, 'GET', '/data/transactions')).body.total).toBe(4)
  expect(refusals(await world().use(parent.teamId, 7))).toHaveLength(1)
  expect(refusals(await world().use(child, 1))[0]).toMatchObject({ type: 'limit_reached' })
  const stranger = await newTeam()
  expect((await ask(stranger, 'GET', `/subaccounts/${child}/usage`)).status).toBe(404)
})

test('a ledger action takes its place when it is put on its way, and is counted when it is final', async () => {
  const person = await newTeam()
  const team = person.teamId as TeamId
  const { db } = world().scratch
  const start = (n: number) =>
    db.transaction({ teams: [team], actor: 'key:1' }, async (tx) => {
      const job = `77${team}${n}`
      tx.defer(tx.insertInto('jobs').values({ id: job, team_id: team, kind: 'test', data: '{}', result: '{}' }))
      const action = { id: `${job}-0`, job_id: job, part: 0, team_id: team, did: 'did:example:1', action: '{}' }
      tx.defer(tx.insertInto('ledger_actions').values({ ...action, sequence: n }))
      tx.bill('reserve')
    })
  await world().use(person.teamId, 7)
  const started = await Promise.allSettled([1, 2, 3, 4, 5].map(start))
  expect(refusals(started)).toHaveLength(2)
  expect((await ask(person, 'GET', '/data/limits')).body.transactions).toEqual({ limit: 10, used: 7, onTheirWay: 3 })
  expect(refusals(await world().use(person.teamId, 1))).toHaveLength(1)
  // One is refused by the ledger, and gives its place back; two are final.
  const ids = (
    await db.read('system', (reader) =>
      reader.selectFrom('ledger_actions').select('id').where('team_id', '=', team).orderBy('id').execute(),
    )
  ).map(({ id }) => id)
  await db.transaction('system', async (tx) => {
    await tx.updateTable('ledger_actions').set({ state: 'done' }).where('id', 'in', ids.slice(0, 2)).execute()
    await tx
      .updateTable('ledger_actions')
      .set({ state: 'refused' })
      .where('id', '=', ids[2] ?? '')
      .execute()
    for (const _ of [1, 2]) tx.bill('ledgerAction', team)
  })
  expect((await ask(person, 'GET', '/data/limits')).body.transactions).toEqual({ limit: 10, used: 9, onTheirWay: 0 })
  expect(refusals(await world().use(person.teamId, 2))).toHaveLength(1)
})

const countsOf = async ({ teamId }: Person): Promise<number[]> => {
  const rows = await world().scratch.db.read('system', (reader) =>
    reader
      .selectFrom('billed_counts')
      .select('count')
      .where('team_id', '=', teamId as TeamId)
      .execute(),
  )
  return rows.map(({ count }) => count)
}

test('folding the counts changes no sum, also while others count', async () => {
  const person = await newTeam()
  await ask(person, 'PATCH', '/data/subscription', { plan: 'unlimited' })
  const rounds = Array.from({ length: 5 }, () =>
    Promise.all([world().use(person.teamId, 20), foldUsage(world().environment), foldUsage(world().environment)]),
  )
  await Promise.all(rounds)
  const sum = (await countsOf(person)).reduce((total, count) => total + count, 0)
  expect(sum).toBe(100)
  await foldUsage(world().environment)
  expect(await countsOf(person)).toEqual([100])
  expect((await ask(person, 'GET', '/data/transactions')).body.total).toBe(100)
  const today = new Date().toISOString().slice(0, 10)
  expect((await ask(person, 'GET', '/data/history')).body).toEqual([
    { date: today, credential: 100, verification: 0, ledgerAction: 0, total: 100 },
  ])
})

test('a plan with a limit adds to the row that is there, also while it is folded', async () => {
  const person = await newTeam()
  await ask(person, 'PATCH', '/data/subscription', { plan: 'larger' })
  const foldings = Array.from({ length: 8 }, () => foldUsage(world().environment))
  const used = await world().use(person.teamId, 25)
  await Promise.all(foldings)
  expect(refusals(used)).toHaveLength(5)
  const counts = await countsOf(person)
  expect(counts.reduce((total, count) => total + count, 0)).toBe(20)
  // One for each folding that came between, at most, and never one for each commit.
  expect(counts.length).toBeLessThan(10)
  await foldUsage(world().environment)
  expect((await countsOf(person)).reduce((total, count) => total + count, 0)).toBe(20)
})

test('a second folding at the same time waits, and leaves one row of what came meanwhile', async () => {
  const person = await newTeam()
  await ask(person, 'PATCH', '/data/subscription', { plan: 'unlimited' })
  const { scratch, environment, use } = world()
  await use(person.teamId, 1)
  const steps = new EventEmitter()
  const folded = once(steps, 'folded')
  const first = scratch.db.transaction('system', async (tx) => {
    const ending = once(steps, 'end')
    await foldCounts(tx)
    steps.emit('folded')
    await ending
  })
  await folded
  await use(person.teamId, 1)
  const second = foldUsage(environment)
  await expect.poll(someoneWaits).toBe(true)
  steps.emit('end')
  await Promise.all([first, second])
  expect(await countsOf(person)).toEqual([2])
})

/** Tells whether a transaction waits for another one in this database. */
const someoneWaits = () =>
  world().scratch.db.read('system', async (reader) => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(reader)
    return rows.length > 0
  })

test('months end at midnight in UTC: each has a statement, and places of its own', async () => {
  const parent = await newTeam()
  const child = await childOf(parent)
  const { clock } = world()
  const at = (instant: string) => {
    clock.offset = Date.parse(instant) - Date.now()
  }
  try {
    at('2031-01-31T23:59:30Z')
    await world().use(parent.teamId, 6)
    await world().use(child, 4, 'verification')
    expect(refusals(await world().use(parent.teamId, 1))).toHaveLength(1)
    at('2031-02-01T00:00:00.100Z')
    await world().use(parent.teamId, 2)
    const person = await world().signIn(parent.email)
    const { body: statement } = await ask(person, 'GET', '/data/statements/2031-01')
    expect(statement).toEqual({
      team: parent.teamId,
      plan: 'tiny',
      month: '2031-01',
      from: '2031-01-01T00:00:00.000Z',
      to: '2031-02-01T00:00:00.000Z',
      isFinal: true,
      lines: [
        { account: parent.teamId, accountName: expect.stringMatching(/^Team of/), kind: 'credential', count: 6 },
        { account: child, accountName: 'Faculty', kind: 'verification', count: 4 },
      ],
      total: 10,
    })
    const table = await withSession(world().app, person.session, 'GET', '/data/statements/2031-01', undefined, {
      accept: 'text/csv',
    })
    expect(table.headers['content-type']).toMatch(/^text\/csv/)
    expect(table.body.split('\r\n').slice(0, 1)).toEqual(['month,account,accountName,kind,count'])
    expect(table.body).toContain(`2031-01,${child},Faculty,verification,4\r\n`)
    expect((await ask(person, 'GET', '/data/statements')).body).toEqual([
      { month: '2031-02', total: 2, isFinal: false },
      { month: '2031-01', total: 10, isFinal: true },
    ])
    const alone = await ask(person, 'GET', `/data/statements/2031-01?account=${child}`)
    expect(alone.body).toMatchObject({ total: 4, lines: [{ account: child }] })
    const { body: stats } = await ask(person, 'GET', '/data/stats')
    expect(stats).toMatchObject({
      thisMonth: { credential: 2, verification: 0 },
      lastMonth: { credential: 6, verification: 4 },
      held: { teamMembers: 1, credentials: 0 },
    })
  } finally {
    clock.offset = 0
  }
})

test.each(['2031-13', '2031-1', 'now', '1999-12', '2031-01-01'])('%s is no month of a statement', async (month) => {
  const person = await newTeam()
  expect((await ask(person, 'GET', `/data/statements/${month}`)).status).toBe(400)
})

test('an owner chooses among the offered plans, never one that is too small', async () => {
  const person = await newTeam()
  const { body } = await ask(person, 'GET', '/data/subscription')
  expect(body.plan).toBe('tiny')
  expect(body.plans.map(({ name }: { name: string }) => name)).toEqual(['tiny', 'larger', 'unlimited'])
  expect((await ask(person, 'PATCH', '/data/subscription', { plan: 'hidden' })).status).toBe(400)
  await world().use(person.teamId, 10)
  expect((await ask(person, 'PATCH', '/data/subscription', { plan: 'larger' })).body.plan).toBe('larger')
  expect(refusals(await world().use(person.teamId, 11))).toHaveLength(1)
  for (const name of ['One', 'Two']) await ask(person, 'POST', '/subaccounts', { name })
  expect(await ask(person, 'PATCH', '/data/subscription', { plan: 'tiny' })).toMatchObject({ status: 409 })
  expect(await typesOf(person)).toContain('plan_changed')
})

test('people and sub-accounts stop at the plan, also when many are asked for at once', async () => {
  const person = await newTeam()
  const made = await Promise.all(['A', 'B', 'C'].map((name) => ask(person, 'POST', '/subaccounts', { name })))
  expect(made.map(({ status }) => status).sort()).toEqual([200, 402, 402])
  const invite = (name: string) =>
    ask(person, 'POST', `/teams/${person.teamId}/invite`, { emails: [`${name}-${person.teamId}@usage.example`] })
  const invited = await Promise.all(['a', 'b', 'c'].map(invite))
  expect(invited.map(({ status }) => status).sort()).toEqual([200, 402, 402])
})

test('a sandbox counts nothing and refuses nothing, whatever its plans say', async () => {
  const sandbox = await accountsWorld({}, [accounts, data])
  try {
    const { session, teamId } = await sandbox.signIn('sandbox@usage.example')
    await sandbox.scratch.db.transaction({ teams: [teamId as TeamId], actor: 'key:1' }, async (tx) =>
      tx.bill('credential'),
    )
    for (const url of ['/data/history', '/data/statements'])
      expect((await withSession(sandbox.app, session, 'GET', url)).json()).toEqual([])
    expect((await withSession(sandbox.app, session, 'GET', '/data/transactions')).json()).toEqual({
      total: 0,
      list: [],
    })
    expect((await withSession(sandbox.app, session, 'GET', '/data/limits')).json()).toMatchObject({
      plan: 'unlimited',
      transactions: { limit: null, used: 0 },
      requests: { limit: null },
    })
    const chosen = await withSession(sandbox.app, session, 'PATCH', '/data/subscription', { plan: 'trial' })
    expect(chosen.json().plan).toBe('trial')
    for (const name of ['1', '2', '3', '4', '5', '6'])
      expect((await withSession(sandbox.app, session, 'POST', '/subaccounts', { name })).statusCode).toBe(200)
    const rows = await sandbox.scratch.db.read('system', (reader) =>
      sql<{ count: number }>`select count(*)::int as count from service.billed_counts`.execute(reader),
    )
    expect(rows.rows).toEqual([{ count: 0 }])
  } finally {
    await sandbox.close()
  }
})
