import { sql } from 'kysely'
import type { FinishedJob, JobEffect, JobEffects } from '../ledger/job-effects.js'
import type { LedgerEffect } from '../ledger/ledger-events.js'
import { giveUpWaiting, waitingIn } from '../ledger/waiting-actions.js'
import { anyOf } from '../platform/database/any-of.js'
import type { Tx } from '../platform/database/database.js'
import { endNames, showNames } from './bulk.store.js'
import { endedDeals } from './verifier-price.store.js'

import './tables.js'

/** What the jobs of ecosystems are about. Their subject is the registry's id. */
export const JOB = {
  create: 'trustRegistry.create',
  update: 'trustRegistry.update',
  accept: 'participant.accept',
  change: 'participant.change',
  price: 'participant.price',
  remove: 'participant.remove',
  bulk: 'participant.bulk',
} as const

const ids = (jobs: readonly FinishedJob[]): string[] => jobs.map((job) => job.id)
const subjects = (jobs: readonly FinishedJob[]): string[] =>
  jobs.flatMap(({ subject }) => (subject === null ? [] : [subject]))

/** Jobs and the time of their block, as rows `done (id, time)`. */
function endings(jobs: readonly FinishedJob[]) {
  const ended = jobs.flatMap(({ id, block }) => (block ? [{ id, time: block.time }] : []))
  const times = ended.map(({ time }) => time.toISOString())
  return sql`unnest(${ended.map(({ id }) => id)}::text[], ${times}::timestamptz[]) as done (id, time)`
}

/** What was accepted is shown from the time of its block on. */
async function activate(
  tx: Tx,
  table: 'trust_registry_versions' | 'participants',
  jobs: readonly FinishedJob[],
): Promise<void> {
  await sql`
    update ${sql.table(`service.${table}`)} t set state = 'active', from_time = done.time
    from ${endings(jobs)} where t.job_id = done.id and t.state = 'pending'`.execute(tx)
}

async function fail(
  tx: Tx,
  table: 'trust_registry_versions' | 'participants',
  jobs: readonly FinishedJob[],
): Promise<void> {
  await sql`
    update ${sql.table(`service.${table}`)} set state = 'failed'
    where job_id = any(${ids(jobs)}::text[]) and state = 'pending'`.execute(tx)
}

/** Lets go of slugs that neither the version shown nor one on its way has. */
async function releaseSlugs(tx: Tx, registryIds: readonly string[]): Promise<void> {
  await sql`
    delete from service.registry_slugs s
    where s.registry_id = any(${registryIds}::text[]) and not exists (
      select 1 from service.trust_registry_versions v
      where v.registry_id = s.registry_id and v.slug = s.slug and (v.state = 'pending' or v.version = (
        select max(a.version) from service.trust_registry_versions a
        where a.registry_id = s.registry_id and a.state = 'active')))`.execute(tx)
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
    await releaseSlugs(tx, subjects(jobs))
  },
}

const updateEffect: JobEffect = {
  async finalized(tx, jobs) {
    await activate(tx, 'trust_registry_versions', jobs)
    await releaseSlugs(tx, subjects(jobs))
  },
  async failed(tx, jobs) {
    await fail(tx, 'trust_registry_versions', jobs)
    await releaseSlugs(tx, subjects(jobs))
  },
}

const acceptEffect: JobEffect = {
  finalized: (tx, jobs) => activate(tx, 'participants', jobs),
  async failed(tx, jobs) {
    await fail(tx, 'participants', jobs)
    await tx
      .deleteFrom('invitation_uses')
      .where('job_id', '=', anyOf(ids(jobs)))
      .execute()
  },
}

/** Rights, suspensions and prices are read from the index; nothing of ours follows them. */
const changeEffect: JobEffect = { finalized: async () => undefined, failed: async () => undefined }

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
  [JOB.price]: changeEffect,
  [JOB.remove]: removeEffect,
  [JOB.bulk]: { advanced: showNames, finalized: endNames, failed: endNames },
}

/** A registry that was removed has no participants and no slug any more, whoever removed it. Its past is read by its versions. */
const removedRegistries: LedgerEffect = {
  events: ['TrustRegistry.TrustRegistryRemoved'],
  async apply(tx, events) {
    const removed = events.flatMap(({ trust_registry_id: id, time }) =>
      id === null ? [] : [{ id, time: time.toISOString() }],
    )
    await sql`
      update service.participants p set to_time = greatest(p.from_time, done.time)
      from unnest(${removed.map(({ id }) => id)}::text[], ${removed.map(({ time }) => time)}::timestamptz[]) as done (id, time)
      where p.registry_id = done.id and p.state = 'active' and p.to_time is null`.execute(tx)
    await sql`
      delete from service.registry_slugs where registry_id = any(${removed.map(({ id }) => id)}::text[])`.execute(tx)
  },
}

/** Whom the ledger lists is found by the name of its profile, also where nobody said a name here. */
const namedByProfile: LedgerEffect = {
  events: ['TrustRegistry.IssuerChanged', 'TrustRegistry.VerifierChanged'],
  async apply(tx, events) {
    await sql`
      insert into service.names_due
      select array_agg(l.registry_id), array_agg(l.did)
      from (select distinct * from unnest(${events.map(({ trust_registry_id: id }) => id)}::text[],
        ${events.map(({ subject }) => subject)}::text[]) as e (registry_id, did)) l
      where not exists (select from service.shown_names s where s.did = l.did and s.registry_id = l.registry_id)
      having count(*) > 0`.execute(tx)
  },
}

const NOT_ITS_CONVENER = {
  type: 'convener_changed',
  message: 'The trust registry got another convener, or was removed, before its convener signed: ask again',
}

/** Nothing comes any more of what waits for the signature of a DID that convenes no longer. */
const changedConveners: LedgerEffect = {
  events: ['TrustRegistry.TrustRegistryInitialized', 'TrustRegistry.Transferred', 'TrustRegistry.TrustRegistryRemoved'],
  async apply(tx, events) {
    const registries = [...new Set(events.flatMap(({ trust_registry_id: id }) => id ?? []))]
    const { rows } = await sql<{ id: string }>`
      select distinct a.job_id as id from service.ledger_actions a
      where a.state = 'waiting' and ${waitingIn(registries)} and not exists (
        select from ledger.trust_registry r
        where r.registry_id = a.waits_in and r.to_block is null and r.convener = a.did)`.execute(tx)
    await giveUpWaiting(
      tx,
      rows.map(({ id }) => id),
      NOT_ITS_CONVENER,
    )
  },
}

export const ecosystemLedgerEffects: readonly LedgerEffect[] = [
  removedRegistries,
  namedByProfile,
  changedConveners,
  endedDeals,
]
