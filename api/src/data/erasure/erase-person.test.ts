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

async function erase(team: TeamId, ...ids: string[]): Promise<Record<string, number>> {
  const made = await writer.insert('erasures', { team_id: team, marks: marksOf(team, ...ids) })
  for (;;) {
    const [row] = await writer.query<{ marks: Buffer[] }>('select marks from service.erasures where id = $1', [made.id])
    const erasure = { id: String(made.id), team_id: team, marks: row?.marks ?? [] }
    if ((await erasePiece(environment(), erasure)) === 'done') break
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
})

test('every table with a sealed value is reached by marks, or says by what it is', () => {
  const sealed = Object.entries(KEPT_DATA).filter(([, { personal }]) => personal.some((name) => name === 'sealed'))
  const others = sealed.flatMap(([table, { erasure }]) => (erasure?.by === 'marks' ? [] : [table]))
  // Secrets of receivers; mails to people of teams, which are found by their recipient.
  expect(others).toEqual(['outgoing_mails', 'webhooks'])
})
