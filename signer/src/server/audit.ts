import { batchLoader } from '@accredit/process/batch-loader'
import { sql } from 'kysely'
import type { Clock } from '../clock.js'
import type { Db, OpenDatabase } from '../database.js'
import type { Capability } from './capabilities.js'

export interface AuditEntry {
  capability: Capability
  operation: string
  subjects: string[]
  outcome: string
}

export type WriteAudit = (entry: AuditEntry) => Promise<void>

/** Operations that come to nothing, once done, unless the keys are bound; the binding is in the audit as well. */
const BEGINNINGS: ReadonlySet<string> = new Set(['makeKeys', 'importKeys'])

/**
 * An entry is written before the answer leaves, and on the disk with everything that was written before it, but for
 * beginnings: a crash of Postgres may take one of those with its keys. Nothing has happened that is not in the audit.
 * Requests share a statement.
 */
export function openAudit({ db, unsynced }: Pick<OpenDatabase, 'db' | 'unsynced'>, clock: Clock): WriteAudit {
  const [write, writeBeginning] = [writerTo(db, clock), writerTo(unsynced, clock)]
  return async (entry) => {
    const isBeginning = entry.outcome === 'done' && BEGINNINGS.has(entry.operation)
    await (isBeginning ? writeBeginning(entry) : write(entry))
  }
}

const ROWS_AT_ONCE = 500

const writerTo = (db: Db, clock: Clock) =>
  batchLoader(
    async (entries: AuditEntry[]) => {
      await sql`
        insert into signer.audit (at, capability, operation, subjects, outcome)
        select ${new Date(clock())}::timestamptz, capability, operation,
          array(select json_array_elements_text(subjects)), outcome
        from json_to_recordset(${JSON.stringify(entries)}::json) as entry(
          capability text, operation text, subjects json, outcome text)`.execute(db)
      return entries.map(() => true)
    },
    { most: ROWS_AT_ONCE },
  )
