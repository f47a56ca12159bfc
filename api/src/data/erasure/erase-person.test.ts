import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchKey, openRow, sealRow } from '../../credentials/batch/batch-seal.js'
import type { TeamId } from '../../platform/database/ids.js'
import { KEPT_DATA } from '../../platform/database/kept-data.js'
import { json } from '../../platform/database/tables.js'
import { databaseWithTeam } from '../../platform/testing/for-all-tests.js'
import { testEnvironment, testTeam } from '../../platform/testing/scratch-database.js'
import { RowWriter } from '../rows.testing.js'
import { erasePiece } from './erase-person.js'

const world = databaseWithTeam()
let writer: RowWriter
beforeAll(async () => {
  writer = await RowWriter.open(world().scratch.adminUrl)
})
afterAll(() => writer.close())

const environment = () => testEnvironment(world().scratch)
const marksOf = (team: TeamId, ...ids: string[]) => environment().events.marksOf(team, ids)

/** Erases what is about some ids. */
const erase = (team: TeamId, ...ids: string[]) => eraseWith(environment(), team, ...ids)

async function eraseWith(
  needs: ReturnType<typeof environment>,
  team: TeamId,
  ...ids: string[]
): Promise<Record<string, number>> {
  const made = await writer.insert('erasures', { team_id: team, marks: marksOf(team, ...ids) })
  for (;;) {
    const [row] = await writer.query<{ marks: Buffer[] }>('select marks from service.erasures where id = $1', [made.id])
    const erasure = { id: String(made.id), team_id: team, marks: row?.marks ?? [] }
    if ((await erasePiece(needs, erasure)) === 'done') break
  }
  const [{ counts } = { counts: {} }] = await writer.query<{ counts: Record<string, number> }>(
    'select counts from service.erasures where id = $1 and ended is not null',
    [made.id],
  )
  return counts
}

const marked = Object.entries(KEPT_DATA).flatMap(([table, { erasure }]) => (erasure?.by === 'marks' ? [table] : []))
const naming = Object.entries(KEPT_DATA).flatMap(([table, { erasure }]) =>
  erasure?.by === 'text' ? [[table, erasure.column] as const] : [],
)

describe('an erasure', () => {
  test.each(marked)('takes what is marked from %s, of the one person and the one team', async (table) => {
    const { db } = world().scratch
    const [mine, other] = [(await testTeam(db)).team, (await testTeam(db)).team]
    for (const [team, id] of [
      [mine, 'urn:erased'],
      [mine, 'urn:kept'],
      [other, 'urn:erased'],
    ] as const) {
      writer.rows.clear()
      await writer.insert(table, { team_id: team, marks: marksOf(team, id, 'urn:more') })
    }
    expect(await erase(mine, 'urn:erased')).toEqual({ [table]: 1 })
    const left = await writer.query<{ marks: Buffer[] | null; team_id: string }>(
      `select marks, team_id from service.${table} where team_id = any($1) and marks is not null order by team_id`,
      [[mine, other]],
    )
    const found = left.map(({ marks, team_id }) => [Number(team_id), marks?.[0]?.toString('hex')])
    expect(found).toEqual([
      [mine, marksOf(mine, 'urn:kept')[0]?.toString('hex')],
      [other, marksOf(other, 'urn:erased')[0]?.toString('hex')],
    ])
  })

  test.each(naming)('takes ids from %s, and leaves the fact', async (table, column) => {
    const { team } = await testTeam(world().scratch.db)
    writer.rows.clear()
    for (const id of ['urn:erased', 'urn:kept']) await writer.insert(table, { team_id: team, [column]: id })
    expect(await erase(team, 'urn:erased')).toEqual({ [table]: 1 })
    const rows = await writer.query<{ text: string }>(
      `select ${column} as text from service.${table} where team_id = $1`,
      [team],
    )
    expect(rows.map(({ text }) => text)).toEqual(expect.arrayContaining(['urn:kept']))
    expect(rows).toHaveLength(2)
    expect(rows.map(({ text }) => text)).not.toContain('urn:erased')
  })

  test('finds what is about a credential by its subject alone', async () => {
    const { team } = await testTeam(world().scratch.db)
    writer.rows.clear()
    await writer.insert('credentials', {
      team_id: team,
      id: 'urn:c:1',
      marks: marksOf(team, 'urn:c:1', 'did:example:ada'),
    })
    await writer.insert('outgoing_events', { team_id: team, marks: marksOf(team, 'urn:c:1') })
    await writer.insert('audit', { team_id: team, subject: 'urn:c:1' })
    expect(await erase(team, 'did:example:ada')).toEqual({ credentials: 1, outgoing_events: 1, audit: 1 })
  })

  test('does not end by the marks that another worker has added to since', async () => {
    const { team } = await testTeam(world().scratch.db)
    writer.rows.clear()
    await writer.insert('credentials', {
      team_id: team,
      id: 'urn:c:3',
      marks: marksOf(team, 'urn:c:3', 'did:example:a'),
    })
    await writer.insert('outgoing_events', { team_id: team, marks: marksOf(team, 'urn:c:3') })
    await writer.insert('audit', { team_id: team, subject: 'urn:c:3' })
    const made = await writer.insert('erasures', { team_id: team, marks: marksOf(team, 'did:example:a') })
    const stored = () =>
      writer.query<{ marks: Buffer[]; ended: Date | null }>('select marks, ended from service.erasures where id = $1', [
        made.id,
      ])
    const before = { id: String(made.id), team_id: team, marks: marksOf(team, 'did:example:a') }
    expect(await erasePiece(environment(), before)).toBe('more')
    // The one that was slow has read the erasure before the credential was found.
    expect(await erasePiece(environment(), before)).toBe('more')
    expect(await stored()).toMatchObject([{ ended: null }])
    let progress: string | undefined
    while (progress !== 'done') {
      const [{ marks } = { marks: [] }] = await stored()
      progress = await erasePiece(environment(), { ...before, marks })
    }
    for (const table of ['outgoing_events', 'credentials'])
      expect(await writer.query(`select from service.${table} where team_id = $1`, [team])).toEqual([])
    expect(await writer.query('select subject from service.audit where team_id = $1', [team])).toEqual([
      { subject: '[erased]' },
    ])
  })

  test('finds credentials that an earlier version stored without marks', async () => {
    const { team } = await testTeam(world().scratch.db)
    writer.rows.clear()
    await writer.insert('credentials', { team_id: team, id: 'urn:c:2', subject_ref: 'did:example:x did:example:y' })
    expect(await erase(team, 'did:example:y')).toEqual({ credentials: 1 })
  })

  test('opens requests that wait in a batch, and refuses those about the person', async () => {
    const { team } = await testTeam(world().scratch.db)
    writer.rows.clear()
    const job = await writer.insert('jobs', { team_id: team, status: 'todo' })
    await writer.insert('credential_batches', { team_id: team, job_id: job.id, seal: 'a seal', principal: json({}) })
    const key = batchKey(environment())
    for (const [index, id] of ['did:example:ada', 'did:example:emmy'].entries()) {
      const place = { seal: 'a seal', row: index + 1, holds: 'request' } as const
      const sealed = sealRow(key, place, { credential: { subject: [{ id, degree: 'x' }] } })
      await writer.insert('credential_batch_rows', {
        team_id: team,
        job_id: job.id,
        row: index + 1,
        state: 'todo',
        sealed,
      })
    }
    expect(await erase(team, 'did:example:ada')).toEqual({ credential_batch_rows: 1 })
    const rows = await writer.query<{ row: number; state: string; sealed: Buffer }>(
      'select row, state, sealed from service.credential_batch_rows where job_id = $1 order by row',
      [job.id],
    )
    expect(rows.map(({ state }) => state)).toEqual(['refused', 'todo'])
    const outcome = openRow(key, { seal: 'a seal', row: 1, holds: 'outcome' }, rows[0]?.sealed ?? Buffer.alloc(0))
    expect(JSON.parse(outcome)).toMatchObject({ row: 1, error: { type: 'gone' } })
  })

  test('reaches a request that was issued after credentials were looked for, and before it was read itself', async () => {
    const { team } = await testTeam(world().scratch.db)
    writer.rows.clear()
    const job = await writer.insert('jobs', { team_id: team, status: 'todo' })
    await writer.insert('credential_batches', { team_id: team, job_id: job.id, seal: 'a seal', principal: json({}) })
    const marks = marksOf(team, 'did:example:ada')
    const issued = async () => {
      await writer.insert('credentials', { team_id: team, marks })
      await writer.insert('credential_batch_rows', { team_id: team, job_id: job.id, row: 1, state: 'issued', marks })
    }
    const { db, ...others } = environment()
    let isIssued = false
    // Requests that wait are the first thing that an erasure reads outside of a transaction.
    const read: typeof db.read = async (scope, run) => {
      if (!isIssued) await issued()
      isIssued = true
      return db.read(scope, run)
    }
    const counts = await eraseWith({ ...others, db: { ...db, read } }, team, 'did:example:ada')
    expect(counts).toEqual({ credentials: 1, credential_batch_rows: 1 })
  })

  test('takes from the job of a batch what a worker that ends it at that moment tells of refused rows', async () => {
    const { team } = await testTeam(world().scratch.db)
    writer.rows.clear()
    const job = await writer.insert('jobs', { team_id: team, status: 'in_progress' })
    await writer.insert('credential_batches', { team_id: team, job_id: job.id, seal: 'a seal', principal: json({}) })
    const marks = marksOf(team, 'did:example:ada')
    const sealed = sealRow(batchKey(environment()), { seal: 'a seal', row: 1, holds: 'outcome' }, { row: 1 })
    await writer.insert('credential_batch_rows', {
      team_id: team,
      job_id: job.id,
      row: 1,
      state: 'refused',
      sealed,
      marks,
    })
    const worker = new pg.Client({ connectionString: world().scratch.adminUrl })
    await worker.connect()
    try {
      await worker.query('begin')
      await worker.query('update service.credential_batches set ended = now() where job_id = $1', [job.id])
      let hasEnded = false
      const erasing = erase(team, 'did:example:ada').finally(() => {
        hasEnded = true
      })
      const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      await expect.poll(async () => hasEnded || (await writer.query(waiting)).length > 0).toBe(true)
      await worker.query('update service.jobs set result = $2 where id = $1', [
        job.id,
        JSON.stringify({ refused: [{ row: 1, type: 'invalid_request', message: 'no such date: Ada' }] }),
      ])
      await worker.query('commit')
      await erasing
    } finally {
      await worker.end()
    }
    const [told] = await writer.query<{ result: unknown }>('select result from service.jobs where id = $1', [job.id])
    expect(JSON.stringify(told?.result)).not.toContain('Ada')
  })
})

test('every table with a sealed value is reached by marks, or says by what it is', () => {
  const sealed = Object.entries(KEPT_DATA).filter(([, { personal }]) => personal.some((name) => name === 'sealed'))
  const others = sealed.flatMap(([table, { erasure }]) => (erasure?.by === 'marks' ? [] : [table]))
  // Secrets of receivers; mails to people of teams, which are found by their recipient.
  expect(others).toEqual(['outgoing_mails', 'webhooks'])
})
