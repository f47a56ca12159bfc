import { sql } from 'kysely'
import { tellFailedJob } from '../../jobs/tell-failed-job.js'
import type { Tx } from '../../platform/database/database.js'
import { json } from '../../platform/database/tables.js'
import type { Environment } from '../../platform/http/context.js'
import { jobNamedIn } from './mail-mark.js'

/**
 * Returns the status (RFC 3463) with which a mail server gave a mail up; undefined: the mail is no such report
 * (RFC 3464), or says that it is only late.
 */
export function failureIn(report: string): string | undefined {
  const [head = '', ...fields] = report.replaceAll('\r\n', '\n').split('\n\n')
  if (!/^content-type:\s*multipart\/report\b[\s\S]*?\breport-type="?delivery-status\b/im.test(head)) return undefined
  const failed = fields.find((group) => /^action:[ \t]*failed\b/im.test(group))
  return failed && /^status:[ \t]*([45]\.\d{1,3}\.\d{1,3})\b/im.exec(failed)?.[1]
}

/**
 * Ends the job of a mail that came back as an error, though a mail server had taken it.
 * @returns the job; undefined: the report is no bounce of a mail that was sent here, or its job is no longer kept
 */
export async function noteBounce(
  tx: Tx,
  door: Pick<Environment, 'deriveKey'>,
  report: string,
): Promise<string | undefined> {
  const status = failureIn(report)
  const job = status === undefined ? undefined : jobNamedIn(door, report)
  if (job === undefined) return undefined
  const error = { type: 'not_delivered', message: `The mail came back: ${status}` }
  const { numAffectedRows = 0n } =
    await sql`update service.jobs set status = 'error', result = ${json(error)}, updated = now()
    where id = ${job} and kind = 'credentials.mail' and status = 'finalized'`.execute(tx)
  if (numAffectedRows === 0n) return undefined
  await tellFailedJob(tx, job, error)
  return job
}
