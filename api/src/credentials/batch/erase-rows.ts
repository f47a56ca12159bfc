import './batch.tables.js'
import { sql } from 'kysely'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { EventSealing } from '../../platform/database/outgoing-events.js'
import type { Environment } from '../../platform/http/context.js'
import { idsIn } from '../../platform/http/input/ids-in.js'
import { batchKey, openRow, sealRow } from './batch-seal.js'

const AT_ONCE = 250

export interface Marked {
  team: TeamId
  /** Keyed hashes of ids. */
  marks: readonly Buffer[]
}

interface FoundRow {
  job_id: string
  row: number
  seal: string
}

/** The line of the result of a row that was erased. */
const ERASED = { status: 410, type: 'gone', message: 'What this row was about was erased' }

async function empty(tx: Tx, services: Pick<Environment, 'deriveKey'>, rows: readonly FoundRow[]): Promise<void> {
  const key = batchKey(services)
  for (const { job_id, row, seal } of rows) {
    const sealed = sealRow(key, { seal, row, holds: 'outcome' }, { row, error: ERASED })
    const state = sql`case state when 'todo' then 'refused' else state end`
    await sql`update service.credential_batch_rows set sealed = ${sealed}, marks = null, state = ${state}
      where job_id = ${job_id} and row = ${row}`.execute(tx)
  }
  await emptyRefusals(tx, rows)
}

/** Takes from the jobs of batches what they tell of the refusals of erased rows: it may quote what was sent. */
async function emptyRefusals(tx: Tx, rows: readonly FoundRow[]): Promise<void> {
  const { type, message } = ERASED
  const gone = JSON.stringify({ type, message })
  for (const job of new Set(rows.map(({ job_id }) => job_id))) {
    const erased = rows.filter(({ job_id }) => job_id === job).map(({ row }) => row)
    const isErased = sql`(r.refusal ->> 'row')::int = any(${erased}::int[])`
    // The job tells the first refusal as its own where every row was refused.
    await sql`update service.jobs j set result = j.result || jsonb_build_object('refused', told.refused)
        || case when told.with_first and j.result ? 'message' then ${gone}::jsonb else '{}' end
      from (select jsonb_agg(case when ${isErased} then r.refusal || ${gone}::jsonb else r.refusal end order by r.n) as refused,
          coalesce(bool_or(r.n = 1 and ${isErased}), false) as with_first
        from service.jobs k cross join lateral jsonb_array_elements(k.result -> 'refused') with ordinality as r (refusal, n)
        where k.id = ${job}) told
      where j.id = ${job} and told.refused is not null`.execute(tx)
  }
}

/**
 * Erases some results that are about something with one of the marks. It waits for a worker that gives a batch back: the
 * job may be told of refusals that were read before.
 *
 * @returns how many
 */
export async function eraseOutcomes(
  tx: Tx,
  services: Pick<Environment, 'deriveKey'>,
  { team, marks }: Marked,
): Promise<number> {
  const { rows } = await sql<FoundRow>`select r.job_id, r.row, b.seal
    from service.credential_batch_rows r join service.credential_batches b using (job_id)
    where r.team_id = ${team} and r.marks && ${[...marks]}::bytea[] limit ${AT_ONCE} for update of b, r`.execute(tx)
  await empty(tx, services, rows)
  return rows.length
}

/** Requests that wait to be issued, in their order. */
const waitingRows = (reader: Reader, team: TeamId, { job_id, row }: Pick<FoundRow, 'job_id' | 'row'>) =>
  sql<FoundRow & { sealed: Buffer }>`select r.job_id, r.row, b.seal, r.sealed
    from service.credential_batch_rows r join service.credential_batches b using (job_id)
    where r.team_id = ${team} and r.state = 'todo' and (r.job_id, r.row) > (${job_id}, ${row})
    order by r.job_id, r.row limit ${AT_ONCE}`.execute(reader)

/**
 * Erases requests that wait and are about something with one of the marks: they are opened and read, in pieces.
 *
 * @returns how many
 */
export async function eraseRequests(
  { db, deriveKey, events }: Pick<Environment, 'db' | 'deriveKey'> & { events: Pick<EventSealing, 'marksOf'> },
  { team, marks }: Marked,
): Promise<number> {
  const key = batchKey({ deriveKey })
  const sought = new Set(marks.map((mark) => mark.toString('hex')))
  const isMeant = ({ seal, row, sealed }: FoundRow & { sealed: Buffer }): boolean => {
    const ids = idsIn(JSON.parse(openRow(key, { seal, row, holds: 'request' }, sealed)))
    return events.marksOf(team, ids).some((mark) => sought.has(mark.toString('hex')))
  }
  let count = 0
  let after = { job_id: '', row: 0 }
  for (;;) {
    const { rows } = await db.read('system', (reader) => waitingRows(reader, team, after))
    const meant = rows.filter(isMeant)
    if (meant.length > 0)
      await db.transaction('system', async (tx) => {
        await lockWaiting(tx, meant)
        await empty(tx, { deriveKey }, meant)
      })
    count += meant.length
    const last = rows.at(-1)
    if (last === undefined || rows.length < AT_ONCE) return count
    after = last
  }
}

/** Waits for those that are being issued at this moment: what came of them replaces what is written here by its marks. */
const lockWaiting = (tx: Tx, rows: readonly FoundRow[]) =>
  sql`select from service.credential_batch_rows r join service.credential_batches b using (job_id)
    join unnest(${rows.map(({ job_id }) => job_id)}::text[], ${rows.map(({ row }) => row)}::int[]) as m (job_id, row) using (job_id, row)
    order by r.job_id, r.row for update of b, r`.execute(tx)
