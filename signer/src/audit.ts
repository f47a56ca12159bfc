import { batchLoader } from '@accredit/process/batch-loader'
import { sql } from 'kysely'
import type { Capability } from './capabilities.js'
import type { Clock } from './clock.js'
import type { Db } from './database.js'

export interface AuditEntry {
  capability: Capability
  operation: string
  subjects: string[]
  outcome: string
}

export type WriteAudit = (entry: AuditEntry) => Promise<void>

/**
 * The entries as a part of a statement, `noted as (…)`: they are stored with what they tell of, or neither is.
 * `condition` is about `entry`, whose first subject is `subject`.
 */
export const noting = (entries: AuditEntry[], at: Date, condition = sql`true`) => sql`
  noted as (
    insert into signer.audit (at, capability, operation, subjects, outcome)
    select ${at}::timestamptz, capability, operation, array(select json_array_elements_text(subjects)), outcome
    from (select *, subjects ->> 0 as subject from json_to_recordset(${JSON.stringify(entries)}::json) as given(
      capability text, operation text, subjects json, outcome text)) entry
    where ${condition} returning subjects)`

const ROWS_AT_ONCE = 500

/**
 * An entry is written before the answer leaves, and on the disk with everything that was written before it. Nothing has
 * happened that is not in the audit. Requests share a statement.
 */
export function openAudit(db: Db, clock: Clock): WriteAudit {
  const write = batchLoader(
    async (entries: AuditEntry[]) => {
      await sql`with ${noting(entries, new Date(clock()))} select from noted limit 0`.execute(db)
      return entries.map(() => true)
    },
    { most: ROWS_AT_ONCE },
  )
  return async (entry) => {
    await write(entry)
  }
}
