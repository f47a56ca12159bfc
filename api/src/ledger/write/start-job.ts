import { hexOf } from '@accredit/chain/bytes'
import { sql } from 'kysely'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { type JsonObject, json, type PartItem } from '../../platform/database/tables.js'
import type { Context } from '../../platform/http/context.js'
import type { LedgerAction } from './signer-door.js'
import { wakeWorker } from './wake.js'

export interface JobPart {
  /** The DID that acts; its actions reach the ledger in the order of their transactions. */
  did: string
  action: LedgerAction | Plan
  /** The rows of a request that the action carries: the job counts them, and names those that were refused. */
  items?: readonly PartItem[]
  /** The ids of the pending actions that it signs, and that share its outcome. */
  answers?: readonly string[]
}

/** An action that is made when nothing else is on its way to its subject: the kind of its job has `plan`. */
export interface Plan {
  kind: 'plan'
  /** A registry, say. */
  subject: string
  plan: JsonObject
}

/** The result of a job that counts, before anything is done. */
export function countFrom(parts: readonly Pick<JobPart, 'items'>[]): Record<string, number> {
  const total = parts.reduce((sum, { items = [] }) => sum + items.length, 0)
  return total === 0 ? {} : { done: 0, total }
}

export interface NewJob {
  /** The name of the effects that run when it ends: `did.create`. */
  kind: string
  /** The id of its subject, a DID or a registry; shown as `userData` of the result. */
  subject?: string
  /** Data for the effects: ids only. */
  data?: Record<string, unknown>
  parts: JobPart[]
}

export interface StartedJob {
  id: string
  /** True for a job that goes on when the holder of a key elsewhere signs. */
  isWaiting?: true
}

/** The ids of jobs by the transaction that started them. */
const startedIn = new WeakMap<Reader, string[]>()

/** Returns the jobs that a transaction started; those that it rolled back to a savepoint have no row. */
export const jobsStartedIn = (reader: Reader): readonly string[] => startedIn.get(reader) ?? []

/**
 * Stores a job and its ledger actions in the caller's transaction (the outbox). The job is final when all its parts
 * are; one without parts is for work that ends in another way.
 */
export async function startJob(tx: Tx, ctx: Pick<Context, 'team' | 'random'>, job: NewJob): Promise<StartedJob> {
  const id = ctx.random.decimalId()
  tx.defer(
    tx.insertInto('jobs').values({
      id,
      team_id: ctx.team,
      kind: job.kind,
      subject: job.subject ?? null,
      data: json(job.data ?? {}),
      result: json(countFrom(job.parts)),
      trace: tx.trace(),
    }),
  )
  startedIn.set(tx, [...jobsStartedIn(tx), id])
  if (job.parts.length > 0) {
    tx.bill('reserve', ctx.team)
    await storeActions(tx, ctx.team, id, job.parts)
  }
  tx.afterCommit(wakeWorker)
  return { id }
}

async function storeActions(tx: Tx, team: TeamId, jobId: string, parts: JobPart[], first = 0): Promise<void> {
  const counts = new Map<string, number>()
  for (const { did, action } of parts) if (action.kind !== 'plan') counts.set(did, (counts.get(did) ?? 0) + 1)
  const taken = await sql<{ did: string; first: number }>`
    select did, first from service.take_sequences(${[...counts.keys()]}::text[], ${[...counts.values()]}::int[])`.execute(
    tx,
  )
  const next = new Map(taken.rows.map((row) => [row.did, row.first]))
  const rows = parts.map(({ did, action, items, answers }, index) => {
    const part = first + index
    const named = { id: `${jobId}-${part}`, job_id: jobId, part, team_id: team, did, items: items ? json(items) : null }
    if (action.kind === 'plan') return { ...named, ...plannedRow(action) }
    const sequence = next.get(did) ?? 0
    next.set(did, sequence + 1)
    return {
      ...named,
      sequence,
      action: json(storedAction(action)),
      answers: answers && answers.length > 0 ? [...answers] : null,
    }
  })
  // Postgres takes 65,535 parameters a statement.
  for (let i = 0; i < rows.length; i += 5000) tx.defer(tx.insertInto('ledger_actions').values(rows.slice(i, i + 5000)))
}

const plannedRow = ({ subject, plan }: Plan) => ({
  state: 'planned' as const,
  sequence: null,
  action: json({}),
  answers: null,
  planned_in: subject,
  plan: json(plan),
})

/** Stores further parts of a job that has not ended. */
export async function addParts(tx: Tx, { id, team }: { id: string; team: TeamId }, parts: JobPart[]): Promise<void> {
  if (parts.length === 0) return
  const { first } = await tx
    .selectFrom('ledger_actions')
    .select(({ fn }) => fn.max('part').as('first'))
    .where('job_id', '=', id)
    .executeTakeFirstOrThrow()
  await storeActions(tx, team, id, parts, first + 1)
  tx.afterCommit(wakeWorker)
}

/**
 * Counts the refused parts of a job as done, since others take their place. A job without new parts ends with the
 * follower's next step.
 */
export async function forgetRefusals(
  tx: Tx,
  jobId: string,
  data: Record<string, unknown>,
  isLast: boolean,
): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ data: json(data) })
    .where('id', '=', jobId)
    .execute()
  await sql`update service.ledger_actions
    set state = ${isLast ? 'included' : 'done'}, outcome = outcome - 'error' || jsonb_build_object('replaced', outcome -> 'error')
    where job_id = ${jobId} and state = 'refused'`.execute(tx)
}

/** Leaves the refusals of a job to a later step of the follower: what they mean is settled by a block to come. */
export async function judgeAgain(tx: Tx, jobId: string): Promise<void> {
  await sql`update service.ledger_actions
    set state = 'included', retry_at = now() + interval '3 seconds'
    where job_id = ${jobId} and state = 'refused'`.execute(tx)
}

/** The row of an action in the outbox. */
export function storedAction(action: LedgerAction): Record<string, unknown> {
  if (action.kind === 'create') return { ...action }
  return { ...action, calls: action.calls.map((call) => hexOf(call)) }
}
