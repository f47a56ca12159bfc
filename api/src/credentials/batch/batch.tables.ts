import type { ColumnType, Generated } from 'kysely'
import type { TeamId } from '../../platform/database/ids.js'
import type { JsonColumn, Marks, Timestamp } from '../../platform/database/tables.js'
import type { Context } from '../../platform/http/context.js'

type LaterTimestamp = ColumnType<Date | null, Date | null | undefined, Date | null>

interface CredentialBatchesTable {
  job_id: string
  team_id: TeamId
  principal: JsonColumn<Context['principal']>
  actor: string
  request_id: string | null
  is_strict: boolean
  accept_language: string | null
  seal: string
  total: number
  created: Timestamp
  held_by: ColumnType<string | null, string | null | undefined, string | null>
  held_until: LaterTimestamp
  turned: Timestamp
  failing_since: LaterTimestamp
  ended: LaterTimestamp
}

interface CredentialBatchRowsTable {
  job_id: string
  row: number
  team_id: TeamId
  state: Generated<'todo' | 'issued' | 'refused'>
  sealed: Buffer
  /** Keyed hashes of the ids of what was issued; null before. */
  marks: Marks
}

declare module '../../platform/database/tables.js' {
  interface ServiceTables {
    credential_batches: CredentialBatchesTable
    credential_batch_rows: CredentialBatchRowsTable
  }
}
