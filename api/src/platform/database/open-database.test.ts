import { AsyncResource } from 'node:async_hooks'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ScratchDatabase,
  serviceDatabase,
  type TestTeam,
  testContext,
  testTeam,
} from '../testing/scratch-database.js'
import type { Reader, Scope } from './database.js'
import { migrate } from './migrate.js'
import { openDatabase } from './open-database.js'
import { servicePool } from './pool.js'

let scratch: ScratchDatabase
let mine: TestTeam
let other: TestTeam
const scopeOf = (...teams: [TestTeam, ...TestTeam[]]) =>
  ({ teams: teams.map((one) => one.team) as [TestTeam['team']], actor: 'test' }) satisfies Scope

async function admin<T extends pg.QueryResultRow>(text: string, url = scratch.adminUrl): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<T>(text)).rows
  } finally {
    await client.end()
  }
}

beforeAll(async () => {
  scratch = await serviceDatabase()
  await admin(`
    create table service.t_owned (team_id bigint, v text);
    create table service.t_shared (a bigint, b bigint, v text);
    create table service.t_public (team_id bigint, v text);
    create table service.t_content (v text);
    create table service.t_system (v text);
    select service.owned('t_owned'), service.shared('t_shared', 'a', 'b'), service.public_read('t_public'),
      service.public_read('t_content', 'any'), service.system_only('t_system');
    grant select, insert, update, delete on all tables in schema service to accredit_test_tenant, accredit_test_system`)
  ;[mine, other] = [await testTeam(scratch.db), await testTeam(scratch.db)]
  await scratch.db.transaction('system', async (tx) => {
    for (const table of ['t_owned', 't_public'])
      await sql`insert into ${sql.table(table)} values (${mine.team}, 'mine'), (${other.team}, 'other')`.execute(tx)
    await sql`insert into t_shared values (${mine.team}, ${other.team}, 'both'), (${other.team}, null, 'other')`.execute(
      tx,
    )
    await sql`insert into t_system values ('secret')`.execute(tx)
  })
})
afterAll(() => scratch.close())

const values = async (scope: Scope, table: string) =>
  scratch.db.read(scope, async (reader) =>
    (await sql<{ v: string }>`select v from ${sql.table(table)} order by v`.execute(reader)).rows.map((row) => row.v),
  )
const write = (scope: Scope, statement: ReturnType<typeof sql>) =>
  scratch.db.transaction(scope, async (tx) => Number((await statement.execute(tx)).numAffectedRows))

test('owned rows are seen and changed by their team only', async () => {
  expect(await values(scopeOf(mine), 't_owned')).toEqual(['mine'])
  expect(await values(scopeOf(mine, other), 't_owned')).toEqual(['mine', 'other'])
  expect(await values('public', 't_owned')).toEqual([])
  expect(await values('system', 't_owned')).toEqual(['mine', 'other'])
  expect(await write(scopeOf(mine), sql`update t_owned set v = 'taken' where v = 'other'`)).toBe(0)
  await expect(write(scopeOf(mine), sql`insert into t_owned values (${other.team}, 'x')`)).rejects.toThrow(
    /row-level security/,
  )
})

test('shared rows are seen by each of their teams', async () => {
  expect(await values(scopeOf(mine), 't_shared')).toEqual(['both'])
  expect(await values(scopeOf(other), 't_shared')).toEqual(['both', 'other'])
})

test('public rows are read by anyone and written by their team', async () => {
  expect(await values('public', 't_public')).toEqual(['mine', 'other'])
  expect(await write(scopeOf(mine), sql`update t_public set v = v`)).toBe(1)
  await expect(write('public', sql`insert into t_public values (${mine.team}, 'x')`)).rejects.toThrow(
    /row-level security/,
  )
  expect(await write(scopeOf(mine), sql`insert into t_content values ('x')`)).toBe(1)
})

test('system rows are for the system role only', async () => {
  expect(await values(scopeOf(mine), 't_system')).toEqual([])
  expect(await values('system', 't_system')).toEqual(['secret'])
})

test('a tenant cannot make itself the system, not even with the setting', async () => {
  const rows = await scratch.db.read(scopeOf(mine), async (reader) => {
    await sql`select set_config('accredit.scope', 'system', true)`.execute(reader)
    return (await sql`select v from t_system`.execute(reader)).rows
  })
  expect(rows).toEqual([])
})

test('the team set ends with its transaction', async () => {
  const pool = servicePool({ url: scratch.tenantUrl, max: 1, applicationName: 'test' })
  const db = openDatabase(pool, pool)
  await db.read(scopeOf(mine), (reader) => sql`select 1`.execute(reader))
  expect((await pool.query('select v from t_owned')).rows).toEqual([])
  await db.close()
})

test.each(['public', 'system'] as const)(
  'closing leaves no connection open, though only %s used the pool of both',
  async (scope) => {
    const pool = servicePool({ url: scratch.systemUrl, max: 1, applicationName: 'test' })
    const db = openDatabase(pool, pool)
    await db.read(scope, (reader) => sql`select 1`.execute(reader))
    await db.close()
    expect(pool.totalCount).toBe(0)
  },
)

test('when Postgres has no connection left a request waits for one', async () => {
  await admin(
    `do $$ begin create role accredit_test_narrow login password 'test'; exception when duplicate_object then null; end $$`,
  )
  await admin('alter role accredit_test_narrow connection limit 1')
  const url = Object.assign(new URL(scratch.tenantUrl), { username: 'accredit_test_narrow' }).href
  const held = new pg.Client({ connectionString: url })
  await held.connect()
  const pool = servicePool({ url, max: 2, applicationName: 'test' })
  const db = openDatabase(pool, pool)
  const waiting = db.read(
    'public',
    async (reader) => (await sql<{ one: number }>`select 1 as one`.execute(reader)).rows,
  )
  await expect(new pg.Client({ connectionString: url }).connect()).rejects.toThrow(/too many connections/)
  await held.end()
  expect(await waiting).toEqual([{ one: 1 }])
  await db.close()
})

test('a connection that Postgres ends while it is used fails its statement and nothing else', async () => {
  const lost = scratch.db.read('public', (reader) =>
    sql`select pg_terminate_backend(pg_backend_pid()), pg_sleep(5)`.execute(reader),
  )
  await expect(lost).rejects.toThrow(/terminat/)
  expect(await values(scopeOf(mine), 't_owned')).toEqual(['mine'])
})

test('a reader cannot write', async () => {
  await expect(scratch.db.read(scopeOf(mine), (reader) => sql`delete from t_owned`.execute(reader))).rejects.toThrow(
    /read-only/,
  )
})

test('a nested use of the database is refused, and one after the first ended is not', async () => {
  const nested = () => scratch.db.read(scopeOf(mine), () => values('public', 't_public'))
  await expect(nested()).rejects.toThrow(/second connection/)
  await expect(scratch.db.transaction('system', nested)).rejects.toThrow(/second connection/)
  const later: { run?: () => Promise<string[]> } = {}
  await scratch.db.transaction(scopeOf(mine), async () => {
    later.run = AsyncResource.bind(() => values('public', 't_content'))
  })
  expect(await later.run?.()).toEqual(['x'])
})

test('a process that serves lets a nested use through, and none in a dry run', async () => {
  const pool = servicePool({ url: scratch.tenantUrl, max: 2, applicationName: 'test' })
  const db = openDatabase(pool, pool, { refusesNested: false })
  const inner = () => db.read('public', async () => 'read')
  expect(await db.transaction(scopeOf(mine), inner)).toBe('read')
  expect(await db.snapshot(scopeOf(mine), inner)).toBe('read')
  await expect(db.dryRun(scopeOf(mine), inner)).rejects.toThrow(/second connection/)
  await expect(db.dryRun(scopeOf(mine), (dry) => dry.read('public', inner))).rejects.toThrow(/second connection/)
  await db.close()
})

test('concurrent dry runs take one connection each, read their own writes and leave nothing', async () => {
  const pool = servicePool({ url: scratch.tenantUrl, max: 2, applicationName: 'test' })
  const system = servicePool({ url: scratch.systemUrl, max: 1, applicationName: 'test' })
  const db = openDatabase(pool, system)
  const texts = (table: string) => async (reader: Reader) =>
    (await sql<{ v: string }>`select v from ${sql.table(table)} order by v`.execute(reader)).rows.map(({ v }) => v)
  const dryRun = () =>
    db.dryRun(scopeOf(mine), async (dry) => {
      await dry.transaction(scopeOf(mine), (tx) =>
        sql`insert into t_public values (${mine.team}, 'a dry run')`.execute(tx),
      )
      const nested = dry.read(scopeOf(mine), () => dry.read('system', texts('t_public')))
      await expect(nested).rejects.toThrow(/second connection/)
      await expect(db.read('public', texts('t_public'))).rejects.toThrow(/second connection/)
      return Promise.all([
        dry.read('public', texts('t_public')),
        dry.read('public', texts('t_owned')),
        dry.read(scopeOf(other), texts('t_owned')),
        dry.read(scopeOf(mine), texts('t_owned')),
        dry.read('system', texts('t_public')),
      ])
    })
  const answer = [['a dry run', 'mine', 'other'], [], ['other'], ['mine'], ['mine', 'other']]
  expect(await Promise.all(Array.from({ length: 6 }, dryRun))).toEqual(Array(6).fill(answer))
  expect(await values('public', 't_public')).toEqual(['mine', 'other'])
  await db.close()
})

test('a change, its audit row and its event are one transaction', async () => {
  const ctx = testContext(scratch, mine)
  const count = () =>
    scratch.db.read(ctx.scope, async (reader) => {
      const [audit, events] = [
        await reader.selectFrom('audit').selectAll().execute(),
        await reader.selectFrom('outgoing_events').selectAll().execute(),
      ]
      return [audit.length, events.length]
    })
  const act = (fails: boolean) =>
    ctx.db.transaction(ctx.scope, async (tx) => {
      await tx.audit({ action: 'createProfile', subject: 'x', changes: 'nothing' })
      await tx.emit('profile_create', { id: 'x' })
      if (fails) throw new Error('no')
    })
  await expect(act(true)).rejects.toThrow('no')
  expect(await count()).toEqual([0, 0])
  await act(false)
  expect(await count()).toEqual([1, 1])
})

test('every table of the service is under forced row-level security', async () => {
  const rows = await admin<{
    relname: string
  }>(`select relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'service' and relkind = 'r' and not (relrowsecurity and relforcerowsecurity)`)
  expect(rows.map((row) => row.relname)).toEqual(['migrations'])
})

test('policies hold for the owner of the tables, where it is the only role', async () => {
  const name = `dev_api_single_${process.pid}`
  await admin(
    `do $$ begin create role accredit_test_single login password 'test' nosuperuser nobypassrls; exception when duplicate_object then null; end $$`,
  )
  await admin(`create database ${name} owner accredit_test_single`)
  const url = new URL(scratch.adminUrl)
  Object.assign(url, { pathname: `/${name}`, username: 'accredit_test_single', password: 'test' })
  const warnings: string[] = []
  try {
    await migrate({
      migrationUrl: url.href,
      tenantUrl: url.href,
      systemUrl: url.href,
      warn: (text) => warnings.push(text),
    })
    const pool = servicePool({ url: url.href, max: 2, applicationName: 'test' })
    const db = openDatabase(pool, pool)
    const team = await testTeam(db)
    const second = await testTeam(db)
    const keys = await db.read({ teams: [team.team], actor: 'test' }, (r) =>
      r.selectFrom('api_keys').select('id').execute(),
    )
    expect(keys).toEqual([{ id: team.keyId }])
    expect(await db.read('public', (r) => r.selectFrom('api_keys').select('id').execute())).toEqual([])
    expect(second.keyId).not.toBe(team.keyId)
    const ctx = { team: team.team, random: testContext(scratch, mine).random }
    const { startJob } = await import('../../ledger/write/start-job.js')
    const part = {
      did: 'did:svc:x',
      action: { kind: 'dispatch' as const, did: 'did:svc:x', keyId: 1, keyRef: 'r', calls: [] },
    }
    await db.transaction({ teams: [team.team], actor: 'test' }, (tx) => startJob(tx, ctx, { kind: 'x', parts: [part] }))
    await db.close()
  } finally {
    await admin(`drop database if exists ${name} with (force)`)
  }
  expect(warnings.join()).toContain('everything runs as database role accredit_test_single')
})

test('migrations run once, also when two processes start at the same time, and a changed one is refused', async () => {
  const urls = { migrationUrl: scratch.adminUrl, tenantUrl: scratch.tenantUrl, systemUrl: scratch.systemUrl }
  expect(await Promise.all([migrate(urls), migrate(urls)])).toEqual([[], []])
  await admin(`update service.migrations set checksum = 'x' where name = '0001_platform.sql'`)
  await expect(migrate(urls)).rejects.toThrow(/0001_platform.sql was changed/)
})
