import type { Did, Hex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import { endedSince } from '../../ledger/read/participants/suspensions.js'
import { NO_JOB } from '../../ledger/write/wait-for-job.js'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { ReadPoint } from '../read-point.js'

import '../tables.js'

interface StatusChange {
  registry_id: Hex32
  did: Did
  team_id: TeamId
  /** Null: none was given. */
  reason: string | null
  /** The job of the change on the ledger; `0`: it changes nothing there. */
  jobId: string
  now: Date
}

/** Stores the reason for a change of status, from the block of the change on. */
export async function keepReason(tx: Tx, { jobId, now, ...row }: StatusChange): Promise<void> {
  const isPending = jobId !== NO_JOB.id
  await tx
    .insertInto('suspension_reasons')
    .values({
      ...row,
      state: isPending ? 'pending' : 'active',
      job_id: isPending ? jobId : null,
      from_time: isPending ? null : now,
    })
    .execute()
}

/**
 * Selects the reason for which a DID is suspended at a point, where it is: the last one given, unless the ledger ended
 * that suspension since, by anyone's signature.
 * @param who alias of rows with registry_id and did
 */
export const reasonAt = (who: string, point: ReadPoint): RawBuilder<{ reason: string | null }> => {
  const [registry, did] = [sql.ref(`${who}.registry_id`), sql.ref(`${who}.did`)]
  return sql`
    select r.reason from (
      select x.reason, x.from_time from service.suspension_reasons x
      where x.registry_id = ${registry} and x.did = ${did} and x.state = 'active' and x.from_time <= ${point.instant}::timestamptz
      order by x.row_id desc limit 1) r
    where not ${endedSince({ registry, did }, sql.ref('r.from_time'), point)}`
}

/** A suspension with its time. */
export interface SuspensionEvent {
  did: string
  time: Date
}

/** Returns the reasons that were given with suspensions of a registry, by `keyOf`. */
export async function reasonsOf(
  reader: Reader,
  registry: Hex32,
  events: readonly SuspensionEvent[],
): Promise<Map<string, string>> {
  if (events.length === 0) return new Map()
  const { rows } = await sql<SuspensionEvent & { reason: string }>`
    select distinct on (e.did, e.time) e.did, e.time, r.reason
    from unnest(${events.map(({ did }) => did)}::text[], ${events.map(({ time }) => time.toISOString())}::timestamptz[]) as e (did, time)
    join service.suspension_reasons r on r.registry_id = ${registry} and r.did = e.did and r.state = 'active'
      and r.from_time = e.time and r.reason is not null
    order by e.did, e.time, r.row_id desc`.execute(reader)
  return new Map(rows.map((row) => [keyOf(row), row.reason]))
}

export const keyOf = ({ did, time }: SuspensionEvent): string => `${did} ${time.toISOString()}`
