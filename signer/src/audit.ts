import type { Capability } from './capabilities.js'
import type { Clock } from './clock.js'
import type { Db } from './database.js'
import { grouped } from './group.js'

export interface AuditEntry {
  capability: Capability
  operation: string
  subjects: string[]
  outcome: string
}

/**
 * Written before the answer leaves, and on the disk with everything that was written before it: what is not in the audit has not
 * happened. Requests share a statement.
 */
export function openAudit(db: Db, clock: Clock): (entry: AuditEntry) => Promise<void> {
  const write = grouped(async (entries: AuditEntry[]) => {
    const at = new Date(clock())
    const rows = entries.map((entry) => ({ ...entry, at }))
    await db.insertInto('audit').values(rows).execute()
    return entries.map(() => true)
  })
  return async (entry) => {
    await write(entry)
  }
}
