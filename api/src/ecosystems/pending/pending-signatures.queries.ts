import { sql } from 'kysely'
import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { Page } from '../../platform/http/pagination.js'
import { type Paged, paged } from '../read-point.js'

/** A dispatch that a convener has yet to sign. */
export interface PendingSignature {
  did: string
  /** The calls as 0x and hexadecimal. */
  calls: string[]
  job: string
  created: Date
  expires: Date
}

/** A job some of whose dispatches wait, or waited. */
export interface PendingJob {
  registry: string
  /** The team that asked for it. */
  team: TeamId
  /** The reasons for which its dispatches failed. */
  refusals: string[]
}

/** Returns the pending part of a job; asked as the system, since it may be of any team. */
export async function pendingJob(reader: Reader, job: string): Promise<PendingJob | undefined> {
  const { rows } = await sql<PendingJob>`
    select waits_in as registry, team_id as team,
      coalesce(array_agg(outcome -> 'error' ->> 'name') filter (where outcome ? 'error'), '{}') as refusals
    from service.ledger_actions where job_id = ${job} and waits_in is not null group by waits_in, team_id`.execute(
    reader,
  )
  return rows[0]
}

/**
 * Returns the dispatches that wait in a registry, the newest first; asked as the system, since the jobs are of any
 * team.
 */
export function pendingSignatures(reader: Reader, registry: string, page: Page): Promise<Paged<PendingSignature>> {
  return paged(page, async ({ offset, limit }) => {
    const { rows } = await sql<PendingSignature & { total: number }>`
      select a.did, a.action -> 'signs' as calls, a.job_id as job, a.created, a.expires, count(*) over ()::int as total
      from service.ledger_actions a where a.state = 'waiting' and a.waits_in = ${registry}
      order by a.created desc, a.job_id desc, a.part desc limit ${limit} offset ${offset}`.execute(reader)
    return rows
  })
}
