import { sql } from 'kysely'
import { keyNumbers } from '../ledger/read/dids/present-did.js'
import type { FailedJob, FinishedJob, JobEffect, JobEffects } from '../ledger/write/job-effects.js'
import { anyOf } from '../platform/database/any-of.js'
import type { Tx } from '../platform/database/database.js'
import { json } from '../platform/database/tables.js'
import type { Environment } from '../platform/http/context.js'
import { takeServices } from './did.ledger.js'
import { ledgerKeyKinds } from './did-keys.js'
import { retireForgotten } from './forgotten-did.store.js'
import { leftMacKeys } from './held-key.store.js'

/** The events of DIDs that web hooks get. */
export const DID_EVENTS = ['did_create', 'did_update_key', 'did_update_controller', 'did_delete'] as const

/** Returns what a web hook is told of an action that the ledger took or refused. */
function transactionOf(job: FinishedJob | FailedJob): Record<string, unknown> {
  const [first] = job.parts
  const common = { encodedTx: first?.outcome.encodedTx ?? '0x', userData: job.subject }
  if ('error' in job) return { status: 'error', ...common, result: job.error }
  return { status: 'finalized', ...common, result: { InBlock: first?.outcome.blockHash ?? null } }
}

async function emitAll(
  tx: Tx,
  event: (typeof DID_EVENTS)[number],
  jobs: readonly (FinishedJob | FailedJob)[],
): Promise<void> {
  await tx.emitAll(
    jobs.map((job) => ({
      team: job.team,
      event,
      data: transactionOf(job),
      resource: job.subject ?? undefined,
      trace: job.trace,
    })),
  )
}

/** A change may concern the key, the controllers, or both. */
async function emitChanges(tx: Tx, jobs: readonly (FinishedJob | FailedJob)[]): Promise<void> {
  const changesKey = ({ data }: FinishedJob): boolean => data.newKey !== undefined
  const changesController = ({ data }: FinishedJob): boolean =>
    [data.added, data.removed].some((dids) => Array.isArray(dids) && dids.length > 0)
  await emitAll(tx, 'did_update_key', jobs.filter(changesKey))
  await emitAll(tx, 'did_update_controller', jobs.filter(changesController))
}

/** The jobs as rows `(id, did, keys, time, newKey, oldKey, added, removed)` of a statement. */
function rowsOf(jobs: readonly FinishedJob[]) {
  const rows = jobs.map(({ id, subject, block, data }) => ({ id, did: subject, time: block?.time ?? null, ...data }))
  return sql`jsonb_to_recordset(${json(rows)}::jsonb)
    as j (id text, did text, keys int, time timestamptz, "newKey" text, "oldKey" text, added text[], removed text[])`
}

const create: JobEffect = {
  async finalized(tx, jobs) {
    // The keys of a rotation that was asked for meanwhile wait for their own job.
    await sql`update did_keys k set state = 'active' from ${rowsOf(jobs)} where k.did = j.did and k.state = 'pending'
      and k.key_id <= coalesce(j.keys, ${ledgerKeyKinds.length})`.execute(tx)
    await closeJobs(tx, jobs, sql`case d.status when 'pending' then 'active' else d.status end`)
    await emitAll(tx, 'did_create', jobs)
  },
  async failed(tx, jobs) {
    await sql`update did_keys k set state = 'failed' from ${rowsOf(jobs)} where k.did = j.did`.execute(tx)
    await closeJobs(tx, jobs, sql`'failed'`)
    await emitAll(tx, 'did_create', jobs)
  },
}

const change: JobEffect = {
  async finalized(tx, jobs) {
    // Two statements: a key can be the new one of one job and the old one of the next, both ending here.
    await sql`update did_keys k set state = 'active' from ${rowsOf(jobs)}
      where k.did = j.did and k.key_ref = j."newKey" and k.state = 'pending'`.execute(tx)
    await sql`update did_keys k set state = 'retired' from ${rowsOf(jobs)}
      where k.did = j.did and k.key_ref = j."oldKey" and k.state = 'retiring'`.execute(tx)
    // Somebody else who controls the DID may have added keys: the numbers are the ledger's to give.
    await sql`update did_keys k set key_id = l.key_id from ${rowsOf(jobs)}, (${keyNumbers}) l
      where k.did = j.did and k.key_ref = j."newKey" and l.did = k.did and l.public_key = k.public_key
      and l.key_id <> k.key_id`.execute(tx)
    await closeJobs(tx, jobs)
    await followServices(tx, jobs)
    await emitChanges(tx, jobs)
  },
  async failed(tx, jobs) {
    await sql`update did_keys k set state = 'failed' from ${rowsOf(jobs)}
      where k.did = j.did and k.key_ref = j."newKey"`.execute(tx)
    await sql`update did_keys k set state = 'active' from ${rowsOf(jobs)}
      where k.did = j.did and k.key_ref = j."oldKey" and k.state = 'retiring'`.execute(tx)
    // The jobs are undone one by one: several of one DID undo each other's changes.
    for (const job of jobs) {
      await sql`update dids d set controllers = array(select c collate "C" from (
          select c from unnest(d.controllers) c where c <> all(j.added) union select unnest(j.removed)) present (c)
          order by 1)
        from ${rowsOf([job])} where d.did = j.did and j.id = any(d.open_jobs)`.execute(tx)
    }
    await closeJobs(tx, jobs)
    await followServices(tx, jobs)
    await emitChanges(tx, jobs)
  },
}

/** Takes the services from the ledger once no job of the DID is under way, also where the ledger refused the change. */
async function followServices(tx: Tx, jobs: readonly FinishedJob[]): Promise<void> {
  await takeServices(
    tx,
    jobs.filter(({ data }) => data.services === true).flatMap(({ subject }) => subject ?? []),
  )
}

/** These jobs no longer make their DIDs be ahead of the ledger. `status` is what becomes of that of a DID `d`. */
async function closeJobs(tx: Tx, jobs: readonly FinishedJob[], status = sql`d.status`): Promise<void> {
  const { rows } = await sql<{ did: string; status: string }>`update dids d
    set open_jobs = array(select unnest(d.open_jobs) except select unnest(ended.ids)),
      updated = coalesce(ended.time, d.updated), status = ${status}
    from (select j.did, array_agg(j.id) as ids, max(j.time) as time from ${rowsOf(jobs)} group by j.did) ended
    where d.did = ended.did returning d.did, d.status`.execute(tx)
  const deleted = rows.flatMap((row) => (row.status === 'deleted' ? [row.did] : []))
  if (deleted.length > 0) await retireForgotten(tx, deleted)
}

const remove: JobEffect = {
  async finalized(tx, jobs) {
    await sql`update did_keys k set state = 'retired' from ${rowsOf(jobs)} where k.did = j.did`.execute(tx)
    await closeJobs(tx, jobs, sql`'deleted'`)
    await emitAll(tx, 'did_delete', jobs)
  },
  async failed(tx, jobs) {
    await closeJobs(tx, jobs, sql`case d.status when 'deleting' then 'active' else d.status end`)
    await emitAll(tx, 'did_delete', jobs)
  },
}

export const didEffects: JobEffects = { 'did.create': create, 'did.change': change, 'did.delete': remove }

const atOnce = 100

/**
 * Lets the keys for MACs of deleted DIDs make no more: they stay to check what they made, which nobody else can. Those of
 * refused DIDs go. It may run twice without harm, since the row follows the signer.
 */
export async function sweepMacKeys({ db, signer, clock }: Environment): Promise<void> {
  for (;;) {
    const due = await db.read('system', (reader) => leftMacKeys(reader, { most: atOnce }))
    if (due.length === 0) return
    const refsOf = (status: string) => due.flatMap((row) => (row.status === status ? [row.key_ref] : []))
    const [deleted, refused] = [refsOf('deleted'), refsOf('failed')]
    await signer.retireKeys(deleted)
    await signer.destroyKeys(refused)
    await db.transaction('system', async (tx) => {
      await tx.updateTable('mac_keys').set({ retired: clock.now() }).where('key_ref', '=', anyOf(deleted)).execute()
      await tx.deleteFrom('mac_keys').where('key_ref', '=', anyOf(refused)).execute()
    })
    if (due.length < atOnce) return
  }
}

/**
 * Lets the signer forget the keys that nothing may be signed with any more: of deleted and refused DIDs, and of those
 * that were rotated out. All accepted actions of a DID are signed first, whatever became of the DID meanwhile. It may
 * run twice without harm, and so is marked as done afterwards.
 */
export async function sweepKeys({ db, signer, clock }: Environment): Promise<void> {
  for (;;) {
    const due = await db.read('system', (reader) =>
      reader
        .selectFrom('did_keys')
        .select('key_ref')
        .where('state', 'in', ['retired', 'failed'])
        .where('destroyed', 'is', null)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('ledger_actions as a')
                .whereRef('a.did', '=', 'did_keys.did')
                .where('a.state', 'in', ['planned', 'pending', 'accepted'])
                // The action that creates a DID names all its keys otherwise.
                .where(sql<boolean>`coalesce(a.action ->> 'keyRef', key_ref) = key_ref`),
            ),
          ),
        )
        .limit(atOnce)
        .execute(),
    )
    const keyRefs = due.map((row) => row.key_ref)
    if (keyRefs.length === 0) return
    await signer.destroyKeys(keyRefs)
    await db.transaction('system', (tx) =>
      tx.updateTable('did_keys').set({ destroyed: clock.now() }).where('key_ref', '=', anyOf(keyRefs)).execute(),
    )
    if (keyRefs.length < atOnce) return
  }
}
