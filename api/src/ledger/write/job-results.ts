import { sql } from 'kysely'
import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { JsonObject, PartItem } from '../../platform/database/tables.js'
import { timeOfBlock } from '../read/blocks.js'
import type { FailedJob, FinishedJob } from './job-effects.js'
import type { ActionOutcome } from './signer-door.js'

interface EndedJobRow {
  id: string
  team_id: TeamId
  kind: string
  subject: string | null
  data: JsonObject
  trace: string | null
  parts: { did: string; part: number; outcome: ActionOutcome; items: PartItem[] | null }[]
  time: Date | null
}

/** The end of a job, and the `result` that its reader sees. */
export type JobResult =
  | { status: 'finalized'; job: FinishedJob; result: Record<string, unknown> }
  | { status: 'error'; job: FailedJob; result: Record<string, unknown> }

/**
 * Returns the open ones of these jobs whose parts have all ended. What the parts carry is read of these jobs alone: a
 * job that lists thousands is asked about after each of its blocks.
 */
export async function jobsThatEnded(reader: Reader, ids: string[]): Promise<EndedJobRow[]> {
  const { rows } = await sql<EndedJobRow>`
    with ended as materialized (
      select job_id, max(block_height) as height from service.ledger_actions where job_id = any(${ids}::text[])
      group by job_id having bool_and(state in ('done', 'refused')))
    select j.id, j.team_id, j.kind, j.subject, j.data, j.trace, p.parts,
      ${timeOfBlock(sql.ref('ended.height'))} as time
    from ended join service.jobs j on j.id = ended.job_id and j.status in ('todo', 'in_progress')
    cross join lateral (
      select jsonb_agg(jsonb_build_object('did', a.did, 'part', a.part, 'outcome', a.outcome, 'items', a.items) order by a.part) as parts
      from service.ledger_actions a where a.job_id = j.id) p
    order by j.created, j.id`.execute(reader)
  return rows
}

interface RefusedItem {
  part?: number
  row?: number
  did: string
  type: string
  message: string
}

/** The refused rows of a request that a part carries, or the part itself where it carries none. */
function refusedOf({ part, did, outcome, items }: EndedJobRow['parts'][number]): RefusedItem[] {
  if (!outcome.error) return []
  const why = { type: outcome.error.name, message: outcome.error.docs }
  return items ? items.map((item) => ({ ...item, ...why })) : [{ part, did, ...why }]
}

/**
 * Returns the result: of a job with one part its outcome; of one with many parts, or many rows, counts and the refused
 * ones.
 */
export function jobResultOf(row: EndedJobRow): JobResult {
  const placed = row.parts.filter(({ outcome }) => outcome.blockHeight !== undefined)
  const last = placed.reduce<(typeof placed)[number] | undefined>(
    (latest, part) => ((latest?.outcome.blockHeight ?? -1) <= (part.outcome.blockHeight ?? -1) ? part : latest),
    undefined,
  )
  const height = last?.outcome.blockHeight
  const job: FinishedJob = {
    id: row.id,
    team: row.team_id,
    kind: row.kind,
    subject: row.subject,
    data: row.data,
    trace: row.trace,
    parts: row.parts,
    block: height === undefined || row.time === null ? undefined : { height, time: row.time },
  }
  const refused = row.parts.flatMap(refusedOf)
  const total = row.parts.reduce((sum, { items }) => sum + (items?.length ?? 1), 0)
  const counts = row.parts.length > 1 || row.parts[0]?.items ? { done: total - refused.length, total, refused } : {}
  const first = refused[0]
  if (first) {
    const error = { type: first.type, message: first.message }
    return { status: 'error', job: { ...job, error }, result: { ...error, ...counts } }
  }
  const result = {
    encodedTx: row.parts[0]?.outcome.encodedTx ?? '0x',
    userData: row.subject,
    result: { InBlock: last?.outcome.blockHash ?? null },
    ...counts,
  }
  return { status: 'finalized', job, result }
}
