import '../did.tables.js'
import { sql } from 'kysely'
import type { Database, Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { json } from '../../platform/database/tables.js'
import { answersTo, batchLoaderBy } from '../../platform/process/batch-loader.js'
import type { DidStatus, StoredService } from '../did.tables.js'

interface AskedDid {
  team: TeamId
  did: string
}

/**
 * Tells whether a DID of a team has changes that are not on the ledger yet. Every read of a DID asks this, so that one
 * statement asks for many of them.
 */
export const hasOpenJobs = batchLoaderBy(
  (db: Database, asked: AskedDid[]) => db.read('system', (reader) => areOpen(reader, asked), 'reads by key'),
  { running: 2, most: 100 },
)

/** Without the limit Postgres would read all DIDs of a small table, and look among them for those with open jobs. */
async function areOpen(reader: Reader, asked: AskedDid[]): Promise<boolean[]> {
  const { rows } = await sql<{ n: string }>`
    select q.n from unnest(${asked.map(({ team }) => team)}::bigint[], ${asked.map(({ did }) => did)}::text[])
        with ordinality as q (team, did, n)
      cross join lateral (
        select from service.dids d
        where d.did = q.did and d.team_id = q.team and d.open_jobs <> '{}' limit 1) d`.execute(reader)
  return answersTo(asked, rows).map((row) => row !== undefined)
}

/** Marks the row as ahead of the ledger until the job has ended. */
export async function openChange(
  tx: Tx,
  did: string,
  change: { jobId: string; controllers?: string[]; services?: StoredService[]; status?: DidStatus; now: Date },
) {
  const { jobId, controllers, services, status, now } = change
  await tx
    .updateTable('dids')
    .set({
      open_jobs: sql<string[]>`array_append(open_jobs, ${jobId})`,
      updated: now,
      ...(controllers === undefined ? {} : { controllers }),
      ...(services === undefined ? {} : { services: json(services) }),
      ...(status === undefined ? {} : { status }),
    })
    .where('did', '=', did)
    .execute()
}
