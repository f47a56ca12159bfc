import './batch.tables.js'
import { sql } from 'kysely'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { lockByName } from '../../platform/database/lock-by-name.js'
import { json } from '../../platform/database/tables.js'
import { ApiError, notFound } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { RESULT_HOURS } from './batch-limits.js'

/** The channel on which the worker is told of new batches. */
export const BATCH_CHANNEL = 'service_batches'

/** The most batches of a team that have not ended. */
const MOST_OPEN = 10

/** @throws 429 where the team has too many batches in work; of two requests at once the second one waits for the first */
export async function requireRoom(tx: Tx, team: TeamId): Promise<void> {
  await lockByName(tx, `service.credential_batches ${team}`)
  const { open } = await tx
    .selectFrom('credential_batches')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('team_id', '=', team)
    .where('ended', 'is', null)
    .executeTakeFirstOrThrow()
  if (Number(open) >= MOST_OPEN)
    throw new ApiError('rate_limited', `${MOST_OPEN} batches of yours are in work: wait until one has ended`, {
      headers: { 'Retry-After': '10' },
    })
}

/** The rows of one statement: their bytes travel as text. */
const ROWS_AT_ONCE = 500

/** Stores a batch and its rows, which the worker hears of when they are committed. */
export async function insertBatch(
  tx: Tx,
  ctx: Context,
  { job, seal, rows }: { job: string; seal: string; rows: readonly Buffer[] },
): Promise<void> {
  const { team, principal, scope, isStrict } = ctx
  const now = ctx.clock.now()
  const total = rows.length
  await tx
    .insertInto('credential_batches')
    .values({
      job_id: job,
      team_id: team,
      principal: json(principal),
      actor: scope.actor,
      request_id: ctx.requestId,
      is_strict: isStrict,
      accept_language: ctx.acceptLanguage ?? null,
      seal,
      total,
      created: now,
      turned: now,
    })
    .execute()
  for (let first = 0; first < total; first += ROWS_AT_ONCE) {
    const some = rows.slice(first, first + ROWS_AT_ONCE)
    await sql`insert into credential_batch_rows (job_id, team_id, row, sealed)
      select ${job}, ${team}, ${first} + r.n, r.sealed from unnest(${some}::bytea[]) with ordinality as r (sealed, n)`.execute(
      tx,
    )
  }
  await tx
    .updateTable('jobs')
    .set({ result: json({ done: 0, total }) })
    .where('id', '=', job)
    .execute()
  await sql`select pg_notify(${BATCH_CHANNEL}, '')`.execute(tx)
}

/** A batch that a worker is at. */
export interface HeldBatch {
  job_id: string
  team_id: TeamId
  principal: Context['principal']
  actor: string
  request_id: string | null
  is_strict: boolean
  accept_language: string | null
  seal: string
  total: number
  failing_since: Date | null
}

const HELD_SECONDS = 10
const heldUntil = sql<Date>`now() + make_interval(secs => ${HELD_SECONDS})`

/** Tells whether a batch is to be worked on, by whomever. */
export async function isAnyOpen(reader: Reader): Promise<boolean> {
  const row = await reader
    .selectFrom('credential_batches')
    .select('job_id')
    .where('ended', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Takes batches that nobody is at, one of each team, those first that had their last turn longest ago. */
export async function holdBatches(tx: Tx, holder: string, most: number): Promise<HeldBatch[]> {
  const { rows } = await sql<HeldBatch>`
    update service.credential_batches set held_by = ${holder}, held_until = ${heldUntil}
    where job_id in (
      select b.job_id from service.credential_batches b
      where b.ended is null and (b.held_until is null or b.held_until < now())
        and not exists (select from service.credential_batches o
          where o.team_id = b.team_id and o.ended is null and (o.created, o.job_id) < (b.created, b.job_id))
      order by b.turned limit ${most} for update skip locked)
    returning job_id, team_id, principal, actor, request_id, is_strict, accept_language, seal, total, failing_since`.execute(
    tx,
  )
  return rows
}

/** Keeps others away for longer. */
export const keepHolding = (tx: Tx, holder: string, jobs: readonly string[]) =>
  sql`update service.credential_batches set held_until = ${heldUntil}
    where job_id = any(${[...jobs]}::text[]) and held_by = ${holder}`.execute(tx)

export interface SealedRow {
  row: number
  sealed: Buffer
}

/** The rows of a turn, and about how many bytes they may have together. */
const TURN = { rows: 250, bytes: 4_000_000 }

/** Returns the next rows that are to be done. */
export async function nextRows(reader: Reader, job: string): Promise<SealedRow[]> {
  const { rows } = await sql<SealedRow>`
    select row, sealed from (
      select row, sealed, sum(octet_length(sealed)) over (order by row) - octet_length(sealed) as before
      from service.credential_batch_rows where job_id = ${job} and state = 'todo' order by row limit ${TURN.rows}) r
    where before < ${TURN.bytes} order by row`.execute(reader)
  return rows
}

/** The row was done already, by whoever held the batch before. */
export const DONE = new Error('the row is done')

export interface Outcome {
  job: string
  row: number
  state: 'issued' | 'refused'
  sealed: Buffer
  /** Keyed hashes of the ids of what was issued. */
  marks: Buffer[] | null
}

/** Stores what came of a row in place of its request. The transaction fails with `DONE` where that was stored before. */
export function requireOutcome(tx: Tx, { job, row, state, sealed, marks }: Outcome): void {
  tx.require(
    sql`update service.credential_batch_rows set state = ${state}, sealed = ${sealed}, marks = ${marks}
      where job_id = ${job} and row = ${row} and state = 'todo' returning row`,
    DONE,
  )
}

export interface Counts {
  issued: number
  refused: number
}

export async function countRows(reader: Reader, job: string): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select count(*) filter (where state = 'issued')::int as issued, count(*) filter (where state = 'refused')::int as refused
    from service.credential_batch_rows where job_id = ${job}`.execute(reader)
  return rows[0] ?? { issued: 0, refused: 0 }
}

/** Returns the first refused rows. */
export const refusedRows = (reader: Reader, job: string, most: number): Promise<SealedRow[]> =>
  reader
    .selectFrom('credential_batch_rows')
    .select(['row', 'sealed'])
    .where('job_id', '=', job)
    .where('state', '=', 'refused')
    .orderBy('row')
    .limit(most)
    .execute()

interface TurnEnd {
  holder: string
  now: Date
  failingSince: Date | null
  hasEnded: boolean
  /** The time for which nobody takes it, in seconds. */
  rest: number
}

/** Gives a batch back. @returns false when another worker holds it meanwhile: its numbers count */
export async function endTurn(tx: Tx, job: string, turn: TurnEnd): Promise<boolean> {
  const { holder, now, failingSince, hasEnded, rest } = turn
  const { rows } = await sql`
    update service.credential_batches set held_by = null, held_until = now() + make_interval(secs => ${rest}), turned = ${now},
      failing_since = ${failingSince}, ended = ${hasEnded ? now : null}
    where job_id = ${job} and held_by = ${holder} and ended is null returning job_id`.execute(tx)
  return rows.length > 0
}

export async function setJob(
  tx: Tx,
  job: string,
  { status, result }: { status: 'in_progress' | 'finalized' | 'error'; result: Record<string, unknown> },
): Promise<void> {
  await sql`update service.jobs set status = ${status}, result = ${json(result)}, updated = now()
    where id = ${job} and status in ('todo', 'in_progress')`.execute(tx)
}

const keptSince = (now: Date): Date => new Date(now.getTime() - RESULT_HOURS * 3_600_000)

/** Finds the batch of a team whose result can be read. @throws 404, 409 while it is in work, 410 when it is forgotten */
export async function endedBatch(reader: Reader, { team, clock }: Pick<Context, 'team' | 'clock'>, job: string) {
  const batch = await reader
    .selectFrom('credential_batches')
    .select(['job_id', 'seal', 'total', 'ended'])
    .where('job_id', '=', job)
    .where('team_id', '=', team)
    .executeTakeFirst()
  if (batch === undefined) throw notFound('Batch')
  const { ended } = batch
  if (ended === null)
    throw new ApiError('conflict', `The batch is in work: ask for its result when job ${job} has ended`, {
      headers: { 'Retry-After': '1' },
    })
  if (ended < keptSince(clock.now()))
    throw new ApiError('gone', `The result of a batch is kept for ${RESULT_HOURS} hours after its end`)
  return batch
}

/** Returns results after a row, in order. */
export const outcomesAfter = (reader: Reader, job: string, after: number, limit: number): Promise<SealedRow[]> =>
  reader
    .selectFrom('credential_batch_rows')
    .select(['row', 'sealed'])
    .where('job_id', '=', job)
    .where('row', '>', after)
    .orderBy('row')
    .limit(limit)
    .execute()
