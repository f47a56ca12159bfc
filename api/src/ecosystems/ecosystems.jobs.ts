import { sql } from 'kysely'
import type { FinishedJob, JobEffect, JobEffects } from '../ledger/write/job-effects.js'
import { anyOf } from '../platform/database/any-of.js'
import type { Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import { endNames, showNames } from './bulk/bulk.store.js'
import { tellAccepted } from './events/invitation-events.js'
import { JOB } from './job-kinds.js'
import { continueRemovals } from './registries/removal.jobs.js'
import './tables.js'

const ids = (jobs: readonly FinishedJob[]): string[] => jobs.map((job) => job.id)
const subjects = (jobs: readonly FinishedJob[]): string[] =>
  jobs.flatMap(({ subject }) => (subject === null ? [] : [subject]))

/** The jobs and the time of their block, as rows `done (id, time)`. */
function blockTimesOf(jobs: readonly FinishedJob[]) {
  const ended = jobs.flatMap(({ id, block }) => (block ? [{ id, time: block.time }] : []))
  const times = ended.map(({ time }) => time.toISOString())
  return sql`unnest(${ended.map(({ id }) => id)}::text[], ${times}::timestamptz[]) as done (id, time)`
}

/** The tables whose rows wait for the block of a job. */
type Versioned = 'trust_registry_versions' | 'participants' | 'suspension_reasons'

/** Shows accepted rows from the time of their block on. */
async function activate(tx: Tx, table: Versioned, jobs: readonly FinishedJob[]): Promise<void> {
  await sql`
    update ${sql.table(`service.${table}`)} t set state = 'active', from_time = done.time
    from ${blockTimesOf(jobs)} where t.job_id = done.id and t.state = 'pending'`.execute(tx)
}

async function fail(tx: Tx, table: Versioned, jobs: readonly FinishedJob[]): Promise<void> {
  await sql`
    update ${sql.table(`service.${table}`)} set state = 'failed'
    where job_id = any(${ids(jobs)}::text[]) and state = 'pending'`.execute(tx)
}

/** Releases slugs that were never shown, and that no pending version has; all others are the registry's for ever. */
async function releaseUnusedSlugs(tx: Tx, registryIds: readonly string[]): Promise<void> {
  await sql`
    delete from service.registry_slugs s
    where s.registry_id = any(${registryIds}::text[]) and not exists (
      select 1 from service.trust_registry_versions v
      where v.registry_id = s.registry_id and v.slug = s.slug and v.state <> 'failed')`.execute(tx)
}

const registryState = (tx: Tx, jobs: readonly FinishedJob[], state: 'active' | 'failed') =>
  tx
    .updateTable('trust_registries')
    .set({ state })
    .where('job_id', '=', anyOf(ids(jobs)))
    .where('state', '=', 'pending')
    .execute()

const createEffect: JobEffect = {
  async finalized(tx, jobs) {
    await registryState(tx, jobs, 'active')
    await activate(tx, 'trust_registry_versions', jobs)
  },
  async failed(tx, jobs) {
    await registryState(tx, jobs, 'failed')
    await fail(tx, 'trust_registry_versions', jobs)
    await releaseUnusedSlugs(tx, subjects(jobs))
  },
}

const updateEffect: JobEffect = {
  finalized: (tx, jobs) => activate(tx, 'trust_registry_versions', jobs),
  async failed(tx, jobs) {
    await fail(tx, 'trust_registry_versions', jobs)
    await releaseUnusedSlugs(tx, subjects(jobs))
  },
}

/** The invitation that a job is the acceptance of. */
function acceptedBy({ subject, data: { did, invitation, invitedBy } }: FinishedJob) {
  if (subject === null || !isText(did) || !isText(invitation) || !isTeamId(invitedBy)) return []
  return [{ id: invitation, registryId: subject, did, team: invitedBy }]
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isTeamId = (value: unknown): value is TeamId => typeof value === 'number'

const acceptEffect: JobEffect = {
  async finalized(tx, jobs) {
    await activate(tx, 'participants', jobs)
    await tellAccepted(tx, jobs.flatMap(acceptedBy))
  },
  async failed(tx, jobs) {
    await fail(tx, 'participants', jobs)
    await tx
      .deleteFrom('invitation_uses')
      .where('job_id', '=', anyOf(ids(jobs)))
      .execute()
  },
}

/** Rights, suspensions and prices are read from the index; nothing of ours follows them. */
const onLedgerOnly: JobEffect = { finalized: async () => undefined, failed: async () => undefined }

const changeEffect: JobEffect = {
  finalized: (tx, jobs) => activate(tx, 'suspension_reasons', jobs),
  failed: (tx, jobs) => fail(tx, 'suspension_reasons', jobs),
}

const removeEffect: JobEffect = {
  async finalized(tx, jobs) {
    const removed = jobs.flatMap(({ subject, data, block }) =>
      subject !== null && typeof data.did === 'string' && block ? [{ subject, did: data.did, time: block.time }] : [],
    )
    await sql`
      update service.participants p set to_time = greatest(p.from_time, done.time)
      from unnest(${removed.map((row) => row.subject)}::text[], ${removed.map((row) => row.did)}::text[],
        ${removed.map((row) => row.time.toISOString())}::timestamptz[]) as done (registry_id, did, time)
      where p.registry_id = done.registry_id and p.did = done.did and p.state = 'active' and p.to_time is null
        and p.from_time <= done.time`.execute(tx)
  },
  failed: async () => undefined,
}

export const ecosystemEffects: JobEffects = {
  [JOB.create]: createEffect,
  [JOB.update]: updateEffect,
  [JOB.accept]: acceptEffect,
  [JOB.change]: changeEffect,
  [JOB.price]: onLedgerOnly,
  [JOB.remove]: removeEffect,
  [JOB.removal]: { ...onLedgerOnly, goOn: continueRemovals },
  [JOB.bulk]: { advanced: showNames, finalized: endNames, failed: endNames },
}
