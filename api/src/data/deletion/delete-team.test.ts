import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TeamId } from '../../platform/database/ids.js'
import { KEPT_DATA } from '../../platform/database/kept-data.js'
import { databaseWithTeam } from '../../platform/testing/for-all-tests.js'
import { testEnvironment, testTeam } from '../../platform/testing/scratch-database.js'
import { RowWriter } from '../rows.testing.js'
import { tableShapes } from '../table-shapes.js'
import { deletePiece } from './delete-team.js'
import { sweepOrphans } from './sweep-orphans.js'

const world = databaseWithTeam()
let writer: RowWriter
beforeAll(async () => {
  writer = await RowWriter.open(world().scratch.adminUrl)
})
afterAll(() => writer.close())

const destroyed: string[] = []
const signer = {
  destroyKeys: async (refs: string[]) => void destroyed.push(...refs),
} as never
const environment = () => testEnvironment(world().scratch, { signer } as never)

const marker = (table: string, column: string, of: string) => `MARK-${of}-${table}-${column}`
const hexOf = (text: string) => Buffer.from(text).toString('hex')

/** Values with a marker in every column of a table that may hold personal data, as far as its type takes a text. */
async function marked(table: string, of: string): Promise<Record<string, unknown>> {
  const { db } = world().scratch
  const shapes = await db.read('system', (reader) => tableShapes(db, reader))
  const columns = shapes.find((shape) => shape.table === table)?.columns
  const { personal } = Object.entries(KEPT_DATA).find(([name]) => name === table)?.[1] ?? { personal: [] }
  return Object.fromEntries(
    personal.flatMap((column) => {
      const text = marker(table, column, of)
      const value = {
        text,
        jsonb: JSON.stringify({ text }),
        'text[]': [text],
        bytea: Buffer.from(text),
        'bytea[]': [Buffer.from(text)],
      }[columns?.get(column)?.type ?? '']
      return value === undefined ? [] : [[column, value] as const]
    }),
  )
}

/** A row with markers in every table that tells its team. @returns all tables, and those in which a marker stands */
async function fill(team: TeamId, of: string): Promise<{ filled: string[]; marks: string[] }> {
  const { db } = world().scratch
  const shapes = await db.read('system', (reader) => tableShapes(db, reader))
  const filled: string[] = []
  const marks = ['teams']
  writer.rows.clear()
  for (const { table, columns } of [...shapes].reverse()) {
    if (!columns.has('team_id') || table === 'deletions') continue
    const more = table === 'jobs' ? { subject: `job of ${of}` } : {}
    const texts = await marked(table, of)
    await writer.insert(table, { ...more, ...texts, team_id: team })
    filled.push(table)
    if (Object.keys(texts).length > 0) marks.push(table)
  }
  await writer.query('update service.teams set name = $2, image = $2 where id = $1', [
    team,
    marker('teams', 'name', of),
  ])
  return { filled, marks }
}

/** Every marker of somebody that stands in any table, as the table. */
async function found(of: string): Promise<string[]> {
  const { db } = world().scratch
  const shapes = await db.read('system', (reader) => tableShapes(db, reader))
  const text = `MARK-${of}-`
  const places: string[] = []
  for (const { table } of shapes) {
    const rows = await writer.query(
      `select from service.${table} t where t::text like '%' || $1 || '%' or t::text like '%' || $2 || '%' limit 1`,
      [text, hexOf(text)],
    )
    if (rows.length > 0) places.push(table)
  }
  return places.sort()
}

async function begin(team: TeamId): Promise<{ id: string; team_id: TeamId }> {
  const made = await writer.insert('deletions', { team_id: team, ended: null })
  return { id: String(made.id), team_id: team }
}

async function run(deletion: { id: string; team_id: TeamId }): Promise<number> {
  for (let pieces = 1; ; pieces++) {
    const progress = await deletePiece(environment(), deletion)
    if (progress !== 'more') {
      expect(progress).toBe('done')
      return pieces
    }
  }
}

describe('the deletion of a team', () => {
  test('reaches every table: no text of it is left, and nothing of another team is gone', async () => {
    const { scratch } = world()
    const [mine, other] = [(await testTeam(scratch.db)).team, (await testTeam(scratch.db)).team]
    await fill(other, 'other')
    const { filled, marks } = await fill(mine, 'mine')
    // It was there before, also in the list of names, which the database makes of what others say.
    expect(await found('mine')).toEqual([...marks, 'display_names'].sort())
    const others = await found('other')
    await run(await begin(mine))
    expect(await found('mine')).toEqual([])
    expect(await found('other')).toEqual(others)
    for (const table of filled) {
      const kept = Object.entries(KEPT_DATA).find(([name]) => name === table)?.[1]
      const rows = await writer.query(`select from service.${table} where team_id = $1`, [mine])
      expect([table, rows.length]).toEqual([table, kept?.retention.until === 'always' ? 1 : 0])
    }
    expect(await writer.query('select from service.teams where id = $1', [mine])).toEqual([])
    expect(destroyed).toHaveLength(2)
  })

  test('tells how many rows of which table are gone', async () => {
    const { team } = await testTeam(world().scratch.db)
    await writer.query(
      `insert into service.audit (team_id, actor, action) select $1, 'key:1', 'x' from generate_series(1, 2500)`,
      [team],
    )
    const deletion = await begin(team)
    expect(await run(deletion)).toBeGreaterThanOrEqual(3)
    const [row] = await writer.query(
      'select counts, ended is not null as "isOver" from service.deletions where id = $1',
      [deletion.id],
    )
    expect(row).toEqual({ counts: { audit: 2500, api_keys: 1, 'accumulator keys': 0 }, isOver: true })
  })

  test('tells of all rows of a batch, which would go with it otherwise', async () => {
    const { team } = await testTeam(world().scratch.db)
    writer.rows.clear()
    const { job_id: job } = await writer.insert('credential_batches', { team_id: team })
    await writer.query(
      `insert into service.credential_batch_rows (job_id, team_id, row, state, sealed)
       select $1, $2, n, 'todo', '' from generate_series(1, 2500) n`,
      [job, team],
    )
    const deletion = await begin(team)
    await run(deletion)
    const [row] = await writer.query('select counts from service.deletions where id = $1', [deletion.id])
    expect(row?.counts).toMatchObject({ credential_batches: 1, credential_batch_rows: 2500 })
  })

  test('waits until the ledger has answered what it was asked, and until sub-accounts are gone', async () => {
    const { scratch } = world()
    const { team } = await testTeam(scratch.db)
    writer.rows.clear()
    const child = await writer.insert('teams', { parent_id: team })
    const job = await writer.insert('jobs', { team_id: team })
    const action = await writer.insert('ledger_actions', { team_id: team, job_id: job.id, state: 'accepted' })
    const deletion = await begin(team)
    const last = async () => {
      for (;;) {
        const progress = await deletePiece(environment(), deletion)
        if (progress !== 'more') return progress
      }
    }
    expect(await last()).toBe('waits')
    expect(await writer.query('select from service.ledger_actions where id = $1', [action.id])).toHaveLength(1)
    await writer.query(`update service.ledger_actions set state = 'done' where id = $1`, [action.id])
    expect(await last()).toBe('waits')
    expect(await writer.query('select from service.ledger_actions where id = $1', [action.id])).toEqual([])
    await writer.query('delete from service.teams where id = $1', [child.id])
    expect(await last()).toBe('done')
  })
})

test('rows that come behind the deletion of their team go with the next sweep', async () => {
  const { team } = await testTeam(world().scratch.db)
  await run(await begin(team))
  await writer.insert('credentials', { ...(await marked('credentials', 'late')), team_id: team })
  await writer.insert('profiles', { ...(await marked('profiles', 'late')), team_id: team })
  expect(await found('late')).toEqual(expect.arrayContaining(['credentials', 'profiles']))
  await sweepOrphans(environment())
  expect(await found('late')).toEqual([])
})

test('a marker is found wherever it stands', async () => {
  const { team } = await testTeam(world().scratch.db)
  const text = `MARK-anywhere-${randomBytes(4).toString('hex')}`
  await writer.insert('idempotency_keys', { team_id: team, sealed: Buffer.from(text) })
  expect(await found('anywhere')).toEqual(['idempotency_keys'])
})
