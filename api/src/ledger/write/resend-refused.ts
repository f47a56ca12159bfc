import { sql } from 'kysely'
import type { Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { type JsonObject, json } from '../../platform/database/tables.js'
import { planAgain } from './plan-actions.js'
import { forgetRefusals } from './start-job.js'
import { wakeWorker } from './wake.js'

/** A job that ended as an error. */
export interface FailedJobRow {
  id: string
  team: TeamId
  kind: string
  subject: string | null
  data: JsonObject
}

/** The key by which a DID acts now; undefined: it can act no more. */
type KeyOf = (tx: Tx, did: string) => Promise<{ keyId: number; keyRef: string } | undefined>

/**
 * Sends the refused actions of a job again, as further parts of it, by the keys that their DIDs have now.
 *
 * @returns false, and does nothing, where one of them was signed elsewhere or its DID can act no more
 */
export async function resendRefused(tx: Tx, job: Pick<FailedJobRow, 'id' | 'data'>, keyOf: KeyOf): Promise<boolean> {
  const isAgain = (await planAgain(tx, job.id)) || (await dispatchAgain(tx, job.id, keyOf))
  if (!isAgain) return false
  await forgetRefusals(tx, job.id, job.data, false)
  tx.afterCommit(wakeWorker)
  return true
}

async function dispatchAgain(tx: Tx, jobId: string, keyOf: KeyOf): Promise<boolean> {
  const refused = await tx
    .selectFrom('ledger_actions')
    .select(['did', 'team_id', 'action', 'items'])
    .where('job_id', '=', jobId)
    .where('state', '=', 'refused')
    .orderBy('part')
    .execute()
  if (refused.length === 0 || refused.some(({ action }) => action.kind !== 'dispatch')) return false
  const dids = [...new Set(refused.map(({ did }) => did))]
  const keys = new Map<string, { keyId: number; keyRef: string }>()
  for (const did of dids) {
    const key = await keyOf(tx, did)
    if (key === undefined) return false
    keys.set(did, { keyId: key.keyId, keyRef: key.keyRef })
  }
  const counts = dids.map((did) => refused.filter((action) => action.did === did).length)
  const taken = await sql<{ did: string; first: number }>`
    select did, first from service.take_sequences(${dids}::text[], ${counts}::int[])`.execute(tx)
  const next = new Map(taken.rows.map((row) => [row.did, row.first]))
  const rows = refused.map(({ action, items, ...row }) => {
    const sequence = next.get(row.did) ?? 0
    next.set(row.did, sequence + 1)
    return { ...row, sequence, action: { ...action, ...keys.get(row.did) }, items }
  })
  await sql`insert into service.ledger_actions (id, job_id, part, team_id, did, sequence, action, items)
    select ${jobId} || '-' || place, ${jobId}, place, team_id, did, sequence, action, nullif(items, 'null'::jsonb)
    from (select r.*, l.last + row_number() over (order by r.sequence) as place
      from jsonb_to_recordset(${json(rows)}::jsonb) as r (team_id bigint, did text, sequence bigint, action jsonb, items jsonb),
      (select max(part) as last from service.ledger_actions where job_id = ${jobId}) l) again`.execute(tx)
  return true
}
