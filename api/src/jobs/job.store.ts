import { type SqlBool, sql } from 'kysely'
import type { Reader, Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import type { JobStatus } from '../platform/database/tables.js'
import type { Page } from '../platform/http/pagination.js'

/** True of a job `j` whose end could not be stored so often that it is tried by request alone. */
const isStuck = sql<SqlBool>`(j.status in ('todo', 'in_progress') and exists (
  select from service.ledger_actions a where a.job_id = j.id and a.retry_at = 'infinity'))`

export interface JobFilter {
  status?: JobStatus | undefined
  kind?: string | undefined
  subject?: string | undefined
  stuck?: boolean | undefined
}

export interface ListedJob {
  id: string
  kind: string
  subject: string | null
  status: JobStatus
  done: number | null
  total: number | null
  type: string | null
  message: string | null
  is_stuck: boolean
  created: Date
  updated: Date
}

/** Returns a page of a team's jobs, the newest first. Refused rows of a request are left out: there may be thousands. */
export async function jobsOf(
  reader: Reader,
  team: TeamId,
  { status, kind, subject, stuck }: JobFilter,
  { offset, limit }: Page,
): Promise<ListedJob[]> {
  const conditions = [
    ...(status === undefined ? [] : [sql<SqlBool>`j.status = ${status}`]),
    ...(kind === undefined ? [] : [sql<SqlBool>`j.kind = ${kind}`]),
    ...(subject === undefined ? [] : [sql<SqlBool>`j.subject = ${subject}`]),
    ...(stuck === undefined ? [] : [stuck ? isStuck : sql<SqlBool>`not ${isStuck}`]),
  ]
  const matching = conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
  const { rows } = await sql<ListedJob>`
    select j.id, j.kind, j.subject, j.status, (j.result ->> 'done')::int as done, (j.result ->> 'total')::int as total,
      case when j.status = 'error' then j.result ->> 'type' end as type,
      case when j.status = 'error' then j.result ->> 'message' end as message,
      ${isStuck} as is_stuck, j.created, j.updated
    from service.jobs j where j.team_id = ${team} and ${matching}
    order by j.created desc, j.id desc offset ${offset} limit ${limit}`.execute(reader)
  return rows
}

/** Returns a job of a team, locked; undefined where the team has none. */
export function lockJob(tx: Tx, team: TeamId, id: string) {
  return tx
    .selectFrom('jobs')
    .select(['id', 'team_id as team', 'kind', 'subject', 'status', 'data', 'result'])
    .where('id', '=', id)
    .where('team_id', '=', team)
    .forUpdate()
    .executeTakeFirst()
}

/** Lets the end of a job be stored at once that waits for its next try. @returns whether it waited for one */
export async function tryEndNow(tx: Tx, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('ledger_actions')
    .set({ retry_at: null, retries: 0 })
    .where('job_id', '=', id)
    .where('retry_at', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Marks a job that ended as under way again. */
export const setGoingOn = (tx: Tx, id: string) =>
  sql`update service.jobs set status = 'in_progress', result = '{}', updated = now() where id = ${id}`.execute(tx)
