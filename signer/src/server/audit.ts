import { batchLoader } from '@accredit/process/batch-loader'
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
      const at = new Date(clock())
      const rows = entries.map((entry) => ({ ...entry, at }))
      await db.insertInto('audit').values(rows).execute()
      return entries.map(() => true)
    },
    { most: ROWS_AT_ONCE },
  )
