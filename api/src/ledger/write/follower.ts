import { noteSpans } from '@accredit/process/tracing'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { json } from '../../platform/database/tables.js'
import { jobsEnded } from '../../platform/process/work-metrics.js'
import { type FinalPoint, finalPoint, isIndexed } from '../read/blocks.js'
import type { JobEffect, JobEffects } from './job-effects.js'
import { type JobResult, jobResultOf, jobsThatEnded } from './job-results.js'
import { type LedgerEffect, tellLedgerEvents } from './ledger-events.js'

export interface FollowerServices {
  db: Database
  log: Logger
  jobEffects: JobEffects
  ledgerEffects: readonly LedgerEffect[]
}

export interface FollowedStep {
  /** True when there may be more to do at once. */
  hasMore: boolean
  /** The number of actions that came to their end. */
  ended: number
}

/** The lock for one follower in a database. */
const LOCK = 7_302_104
const BATCH = 250

/**
 * Does one step of the only place where jobs end: in one transaction it turns what is final on the ledger and indexed
 * into job states, service rows, events for web hooks, and the cursor. Where an effect fails it does all of it again
 * with a savepoint before each, so that the others are kept.
 */
export function followLedger(services: FollowerServices): Promise<FollowedStep> {
  return step({ ...services, isCareful: false }).catch(() => step({ ...services, isCareful: true }))
}

interface StepServices extends FollowerServices {
  /** Each effect is guarded by a savepoint; without them the first failure ends the step. */
  isCareful: boolean
}

function step(services: StepServices): Promise<FollowedStep> {
  return services.db.transaction('system', async (tx) => {
    const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${LOCK}) as mine`.execute(tx)
    if (!rows[0]?.mine) return { hasMore: false, ended: 0 }
    const final = await finalPoint(tx)
    const ended = await endActions(tx, final)
    for (const { team_id, is_counted } of ended) if (is_counted) tx.bill('ledgerAction', team_id)
    const jobs = ended.map(({ job_id }) => job_id)
    if (jobs.length > 0) await endJobs(tx, services, jobs)
    const moreEvents = final ? await tellLedgerEvents(tx, services, final) : false
    return { hasMore: jobs.length >= BATCH || moreEvents, ended: jobs.length }
  })
}

interface EndedAction {
  job_id: string
  team_id: TeamId
  /** True where it is final on the ledger, and a plan has not counted it before. */
  is_counted: boolean
}

/**
 * Ends actions whose block is final and indexed with the same hash, or that never reached a block, with those that
 * they sign or carry; the teams take turns.
 */
async function endActions(tx: Tx, final: FinalPoint | undefined): Promise<EndedAction[]> {
  const isFinal = final ? isIndexed(sql.ref('a.block_height'), sql.ref('a.block_hash'), final) : sql`false`
  const { rows } = await sql<EndedAction>`
    with due as (
      select a.id, a.created, row_number() over (partition by a.team_id order by a.created) as turn
      from service.ledger_actions a
      where a.state = 'included' and (a.block_height is null or ${isFinal}) and (a.retry_at is null or a.retry_at <= now())
      order by turn, a.created limit ${BATCH}),
    ready as (
      select a.id, a.is_billed from service.ledger_actions a join due using (id)
      where a.state = 'included' order by a.id for update of a),
    ended as (
      update service.ledger_actions a
      set state = case when a.outcome ? 'error' then 'refused' else 'done' end,
        is_billed = a.is_billed or (a.block_height is not null and not a.outcome ? 'error')
      from ready where a.id = ready.id
      returning a.job_id, a.team_id, a.state, a.answers, a.outcome, a.block_height, a.block_hash, a.is_billed and not ready.is_billed as is_counted),
    answered as (
      update service.ledger_actions a
      set state = 'done', outcome = e.outcome, block_height = e.block_height, block_hash = e.block_hash
      from ended e where a.id = any(e.answers) and a.state in ('waiting', 'planned') and e.state = 'done' returning a.job_id, a.team_id)
    select job_id, team_id, is_counted from ended union all select job_id, team_id, false from answered`.execute(tx)
  return rows
}

async function endJobs(tx: Tx, services: StepServices, touched: string[]): Promise<void> {
  const since = Date.now()
  const ids = [...new Set(touched)]
  const results = (await jobsThatEnded(tx, ids)).map(jobResultOf)
  const kinds = new Set(results.map(({ job }) => job.kind))
  const ended: JobResult[] = []
  for (const kind of kinds) {
    const group = results.filter(({ job }) => job.kind === kind)
    ended.push(...(await applyEffects(tx, services, kind, group)))
  }
  await storeResults(tx, ended)
  for (const { job, status } of ended) jobsEnded.inc({ kind: job.kind, status })
  noteSpans(
    'end jobs',
    since,
    ended.map(({ job, status }) => ({
      parent: job.trace,
      attributes: { 'accredit.job': job.id, 'accredit.kind': job.kind, 'accredit.status': status },
    })),
  )
  const isEnded = new Set(ended.map(({ job }) => job.id))
  const open = ids.filter((id) => !isEnded.has(id))
  if (open.length > 0) await applyProgress(tx, services, await storeProgress(tx, open))
}

/** These jobs end; the others got further parts. */
async function withoutGoingOn(tx: Tx, effect: JobEffect, group: JobResult[]): Promise<JobResult[]> {
  const failed = group.flatMap((result) => (result.status === 'error' ? [result.job] : []))
  if (failed.length === 0 || effect.goOn === undefined) return group
  const going = await effect.goOn(tx, failed)
  return group.filter(({ job }) => !going.has(job.id))
}

/** Applies all of a kind at once, or each alone when that fails: one bad job stops no other. Failures are retried. */
async function applyEffects(tx: Tx, services: StepServices, kind: string, group: JobResult[]): Promise<JobResult[]> {
  const effect = services.jobEffects[kind]
  if (!effect) return group
  const apply = async (some: JobResult[]): Promise<JobResult[]> => {
    const results = await withoutGoingOn(tx, effect, some)
    const finalized = results.flatMap((result) => (result.status === 'finalized' ? [result.job] : []))
    const failed = results.flatMap((result) => (result.status === 'error' ? [result.job] : []))
    if (finalized.length > 0) await effect.finalized(tx, finalized)
    if (failed.length > 0) await effect.failed(tx, failed)
    return results
  }
  if (!services.isCareful) return apply(group)
  const all = await tx.inSavepoint(() => apply(group)).catch(() => undefined)
  if (all !== undefined) return all
  const ended: JobResult[] = []
  for (const result of group) {
    try {
      ended.push(...(await tx.inSavepoint(() => apply([result]))))
    } catch (error) {
      services.log.error(
        { err: error, job: result.job.id, kind },
        'the end of a job could not be applied; it is tried again later',
      )
      await retryLater(tx, result.job.id)
    }
  }
  return ended
}

/** The wait after the first failure, which doubles up to the longest one, and the failures after which a job is left. */
const RETRY = { firstSeconds: 5, longestSeconds: 3600, most: 24 }

/**
 * Makes the actions of a job count as not ended, so that a later step sees the job again: after a while, or, when that
 * was in vain for most of a day, when somebody asks for it.
 */
async function retryLater(tx: Tx, jobId: string): Promise<void> {
  await sql`
    with later as (
      update service.ledger_actions set state = 'included', retries = retries + 1,
        retry_at = case when retries + 1 >= ${RETRY.most}::int then 'infinity'
          else now() + make_interval(secs => least(${RETRY.longestSeconds}::float8, ${RETRY.firstSeconds}::float8 * 2 ^ least(retries, 20))) end
      where job_id = ${jobId} and state in ('done', 'refused') returning retries, retry_at)
    update service.jobs j set updated = now(), result = j.result || jsonb_build_object('waitingFor', 'retry',
      'retries', (select max(retries) from later),
      'isStuck', (select bool_or(retry_at = 'infinity') from later))
    where j.id = ${jobId}`.execute(tx)
}

async function storeResults(tx: Tx, results: JobResult[]): Promise<void> {
  if (results.length === 0) return
  for (const { job, status } of results)
    if (status === 'error') tx.notify('job_failed', { jobId: job.id, kind: job.kind, error: job.error }, job.team)
  const rows = json(results.map(({ job, status, result }) => ({ id: job.id, status, result })))
  await sql`update service.jobs j set status = e.status, result = e.result, updated = now()
    from jsonb_to_recordset(${rows}::jsonb) as e (id text, status text, result jsonb) where j.id = e.id`.execute(tx)
}

interface OpenJob {
  id: string
  kind: string
}

/** Jobs of many parts, or of many rows of a request, show how far they are. */
async function storeProgress(tx: Tx, ids: string[]): Promise<OpenJob[]> {
  const { rows } =
    await sql<OpenJob>`update service.jobs j set result = j.result || jsonb_build_object('done', p.done, 'total', p.total), updated = now()
    from (select job_id, coalesce(sum(size) filter (where state in ('done', 'refused')), 0) as done, sum(size) as total
      from service.ledger_actions, coalesce(jsonb_array_length(items), 1) as size
      where job_id = any(${ids}::text[]) group by job_id having count(*) > 1) p
    where j.id = p.job_id and j.status in ('todo', 'in_progress') returning j.id, j.kind`.execute(tx)
  return rows
}

async function applyProgress(tx: Tx, { jobEffects, log, isCareful }: StepServices, open: OpenJob[]): Promise<void> {
  for (const kind of new Set(open.map((job) => job.kind))) {
    const ids = open.filter((job) => job.kind === kind).map(({ id }) => id)
    const apply = async () => jobEffects[kind]?.advanced?.(tx, ids)
    if (!isCareful) await apply()
    else
      await tx
        .inSavepoint(apply)
        .catch((error: unknown) =>
          log.error({ err: error, jobs: ids, kind }, 'what parts of jobs brought could not be applied'),
        )
  }
}
