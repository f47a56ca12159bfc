import './mail.tables.js'
import { seal, unseal } from '@accredit/process/seal'
import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import { tellFailedJob } from '../../jobs/tell-failed-job.js'
import { type StartedJob, startJob } from '../../ledger/write/start-job.js'
import type { Database, Tx } from '../../platform/database/database.js'
import { isHeld } from '../../platform/database/held-teams.js'
import { json } from '../../platform/database/tables.js'
import { teamsWithRows } from '../../platform/database/teams-with-rows.js'
import type { Context, Environment } from '../../platform/http/context.js'
import { jobsEnded } from '../../platform/process/work-metrics.js'
import { LANGUAGES, type Language } from './texts.js'

/** The channel on which the worker is told of mails. */
export const MAIL_CHANNEL = 'service_mails'

/** The kind of the job of a mail. */
const MAIL_JOB = 'credentials.mail'

const Mail = Type.Object({
  to: Type.String(),
  language: Type.Enum([...LANGUAGES]),
  /** The name of the issuer, or its DID. */
  issuer: Type.String(),
  /** An object, or a compact token. */
  credential: Type.Unknown(),
})
export type Mail = Static<typeof Mail> & { language: Language }

const LABEL = 'credential mail'
const contextOf = (job: string): string => `${LABEL} ${job}`

/**
 * Stores a mail and its job in the transaction of its credential; it is sent after the commit.
 * @param about the ids of the credential and of its subjects
 */
export async function queueMail(tx: Tx, ctx: Context, mail: Mail, about: readonly string[]): Promise<StartedJob> {
  const job = await startJob(tx, ctx, { kind: MAIL_JOB, parts: [] })
  const now = ctx.clock.now()
  const marks = ctx.events.marksOf(ctx.team, [...about, mail.to])
  const plain = Buffer.from(JSON.stringify(mail))
  const sealed = seal(ctx.deriveKey(LABEL), plain, contextOf(job.id), ctx.random.bytes)
  tx.defer(
    tx
      .insertInto('credential_mails')
      .values({ job_id: job.id, team_id: ctx.team, sealed, marks, next_attempt: now, created: now }),
  )
  await sql`select pg_notify(${MAIL_CHANNEL}, '')`.execute(tx)
  return job
}

export interface ClaimedMail {
  job: string
  /** The number of attempts before. */
  attempts: number
  created: Date
  sealed: Buffer
}

/** The wait after the nth attempt doubles, from two seconds to a quarter of an hour. */
const FIRST_WAIT_SECONDS = 2
const LONGEST_WAIT_SECONDS = 900

/** Returns the time at which a mail is due next. */
export async function nextMailDue(db: Database): Promise<Date | undefined> {
  const { rows } = await db.read('system', (reader) =>
    sql<{ due: Date }>`with recursive ${teamsWithRows('credential_mails')}
      select next.due from waiting cross join lateral (
        select m.next_attempt as due from service.credential_mails m
        where m.team_id = waiting.team and m.next_attempt < 'infinity' order by m.next_attempt limit 1) next
      where not ${isHeld(sql`waiting.team`)}
      order by next.due limit 1`.execute(reader),
  )
  return rows[0]?.due
}

/**
 * Takes mails that are due, of each team one before any has its second: no other process sends them meanwhile. Of each
 * team only as many are looked at as are taken.
 */
export async function claimMails(tx: Tx, { clock }: Pick<Environment, 'clock'>, most: number): Promise<ClaimedMail[]> {
  const now = clock.now()
  const { rows } = await sql<ClaimedMail>`
    with recursive ${teamsWithRows('credential_mails')},
    due as (
      select job_id from (
        select next.job_id, row_number() over (partition by waiting.team order by next.next_attempt) as turn
        from waiting cross join lateral (
          select m.job_id, m.next_attempt from service.credential_mails m
          where m.team_id = waiting.team and m.next_attempt <= ${now} order by m.next_attempt limit ${most}) next
        where not ${isHeld(sql`waiting.team`)}) d
      order by turn limit ${most}),
    free as (select m.job_id from service.credential_mails m
      where m.job_id = any(array(select job_id from due)) and m.next_attempt <= ${now} for update skip locked)
    update service.credential_mails m set attempts = m.attempts + 1, next_attempt = ${now}::timestamptz
      + make_interval(secs => least(${LONGEST_WAIT_SECONDS}::float8, ${FIRST_WAIT_SECONDS}::float8 * 2 ^ least(m.attempts, 20)) + 30)
    where m.job_id = any(array(select job_id from free))
    returning m.job_id as job, m.sealed, m.attempts - 1 as attempts, m.created`.execute(tx)
  return rows
}

/** @throws when it was sealed under another key, or for another job */
export function openMail(deriveKey: Environment['deriveKey'], job: string, sealed: Buffer): Mail {
  const mail: unknown = JSON.parse(unseal(deriveKey(LABEL), sealed, contextOf(job)).toString())
  if (!Check(Mail, mail)) throw new TypeError('a stored mail is malformed')
  return mail
}

/** Plans the next attempt of a mail that was not taken. */
export async function tryLater(tx: Tx, { job, attempts }: ClaimedMail, now: Date, result: object): Promise<void> {
  const wait = Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** Math.min(attempts, 20))
  await tx
    .updateTable('credential_mails')
    .set({ next_attempt: new Date(now.getTime() + wait * 1000) })
    .where('job_id', '=', job)
    .execute()
  await setJob(tx, job, 'in_progress', result)
}

/** Ends the jobs of mails that were delivered, and forgets the mails. */
export function endSentMails(tx: Tx, jobs: readonly string[]): void {
  tx.defer(tx.deleteFrom('credential_mails').where('job_id', 'in', jobs))
  tx.defer(
    tx
      .updateTable('jobs')
      .set({ status: 'finalized', result: json({ sent: true }), updated: sql`now()` })
      .where('id', 'in', jobs),
  )
  jobsEnded.inc({ kind: MAIL_JOB, status: 'finalized' }, jobs.length)
}

/** Ends the job of a mail that was not delivered; the mail is kept for seven days, to be sent again. */
export async function endMail(tx: Tx, job: string, end: { type: 'not_delivered'; message: string }): Promise<void> {
  await sql`update service.credential_mails set next_attempt = 'infinity' where job_id = ${job}`.execute(tx)
  await failJob(tx, job, end)
  await tellFailedJob(tx, job, end)
}

/** Ends the job of a mail that nobody may send any more, and forgets the mail. */
export async function dropMail(tx: Tx, job: string, result: object): Promise<void> {
  await tx.deleteFrom('credential_mails').where('job_id', '=', job).execute()
  await failJob(tx, job, result)
}

/** Sends a mail again that was given up. @returns false where it is no longer kept */
export async function sendMailAgain(tx: Tx, job: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('credential_mails')
    .set({ next_attempt: now, attempts: 0, created: now })
    .where('job_id', '=', job)
    .where('next_attempt', '>', now)
    .executeTakeFirst()
  await sql`select pg_notify(${MAIL_CHANNEL}, '')`.execute(tx)
  return numUpdatedRows > 0n
}

async function failJob(tx: Tx, job: string, result: object): Promise<void> {
  await setJob(tx, job, 'error', result)
  jobsEnded.inc({ kind: MAIL_JOB, status: 'error' })
}

async function setJob(tx: Tx, job: string, status: string, result: object): Promise<void> {
  await sql`update service.jobs set status = ${status}, result = ${json(result)}, updated = now() where id = ${job}`.execute(
    tx,
  )
}
