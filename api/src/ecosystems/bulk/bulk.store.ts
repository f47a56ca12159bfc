import type { Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import { blocks } from '../../ledger/read/blocks.js'
import { suspendedAt } from '../../ledger/read/participants/participant-counts.js'
import { isOpen, openAmong } from '../../ledger/read/registries/registry-schemas.js'
import type { FinishedJob } from '../../ledger/write/job-effects.js'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { lockByName } from '../../platform/database/lock-by-name.js'
import { ApiError } from '../../platform/errors.js'
import { endsOpenness } from '../pending/ends-openness.js'
import type { ReadPoint } from '../read-point.js'
import type { BulkPart } from './bulk-calls.js'
import type { BadRow, BulkEntry } from './bulk-rows.js'

/**
 * Throws 409 while rows of a registry are being written: of two requests at once the second one waits, and sees the
 * first.
 */
export async function requireNoOther(tx: Tx, kind: string, registry: Hex32): Promise<void> {
  await lockByName(tx, `service.participant_names ${registry}`)
  await refuseAnother(tx, kind, registry)
}

/** Throws 409 where rows of a registry are pending, before anything is done about others. */
export async function refuseAnother(reader: Reader, kind: string, registry: Hex32): Promise<void> {
  const open = await reader
    .selectFrom('jobs')
    .select('id')
    .where('status', 'in', ['todo', 'in_progress'])
    .where('kind', '=', kind)
    .where('subject', '=', registry)
    .limit(1)
    .executeTakeFirst()
  if (open)
    throw new ApiError(
      'conflict',
      `Job ${open.id} lists participants of this trust registry already: wait until it has ended`,
    )
}

/** Stores the names of a job's rows. They are shown when their part of it is on the ledger. */
export async function insertNames(
  tx: Tx,
  { registry, team, job }: { registry: Hex32; team: TeamId; job: string },
  entries: readonly BulkEntry[],
  parts: readonly BulkPart[],
): Promise<void> {
  const partOf = new Map(parts.flatMap(({ items }, part) => items.map(({ did }) => [did as string, part])))
  await sql`
    insert into service.participant_names (registry_id, team_id, job_id, state, did, name, logo_url, part)
    select ${registry}, ${team}, ${job}, 'pending', row.* from unnest(${entries.map(({ did }) => did)}::text[],
      ${entries.map(({ name }) => name)}::text[], ${entries.map(({ logoUrl }) => logoUrl)}::text[],
      ${entries.map(({ did }) => partOf.get(did) ?? 0)}::int[]) as row`.execute(tx)
}

/** Shows names whose part is on the ledger from the time of its block on. */
export async function showNames(tx: Tx, jobs: readonly string[]): Promise<void> {
  await sql`
    update service.participant_names n set state = 'active', from_time = b.time
    from service.ledger_actions a join (${blocks}) b on b.height = a.block_height
    where n.job_id = any(${jobs}::text[]) and n.state = 'pending'
      and a.job_id = n.job_id and a.part = n.part and a.state = 'done'`.execute(tx)
}

/** Does the same for jobs that ended; the names of refused ones are deleted. */
export async function endNames(tx: Tx, ended: readonly FinishedJob[]): Promise<void> {
  const jobs = ended.map(({ id }) => id)
  await showNames(tx, jobs)
  await sql`
    delete from service.participant_names where job_id = any(${jobs}::text[]) and state = 'pending'`.execute(tx)
}

/** Returns the rows that the ledger would refuse now, or that would give back a right that was taken, in order. */
export async function rowsInConflict(
  reader: Reader,
  point: ReadPoint,
  registry: Hex32,
  entries: readonly BulkEntry[],
): Promise<BadRow[]> {
  const priced = entries.flatMap(({ row, prices }) => [...prices.keys()].map((schema) => ({ row, schema })))
  const open = await openAmong(reader, point, registry, [
    ...new Set(entries.flatMap(({ verifier }) => verifier.map(({ hash }) => hash))),
  ])
  const endsPublicVerification = entries.flatMap(({ row, verifier }) =>
    verifier.flatMap((ref) => (open.has(ref.hash) ? [{ row, message: endsOpenness(ref) }] : [])),
  )
  const { rows } = await sql<BadRow>`
    select p.row, 'prices: ' || p.schema || ' is public, and has no prices' as message
    from unnest(${priced.map(({ row }) => row)}::int[], ${priced.map(({ schema }) => schema)}::text[]) as p (row, schema)
    where ${isOpen(registry, sql.ref('p.schema'), point)}
    union all
    select e.row, 'its DID was suspended here while it had no rights: readmit it first'
    from unnest(${entries.map(({ row }) => row)}::int[], ${entries.map(({ did }) => did)}::text[]) as e (row, did)
    cross join lateral (
      select a.suspended_since from service.participants a
      where a.registry_id = ${registry} and a.did = e.did and a.state = 'active' order by a.row_id desc limit 1) a
    where a.suspended_since is not null and not ${suspendedAt(sql`${registry}`, sql.ref('e.did'), point.block)}
    order by row, message`.execute(reader)
  return [...endsPublicVerification, ...rows].sort((a, b) => a.row - b.row)
}
