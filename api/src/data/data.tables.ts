import type { ColumnType } from 'kysely'
import type { TeamId } from '../platform/database/ids.js'
import type { Timestamp } from '../platform/database/tables.js'

interface SweptRowsTable {
  team_id: TeamId
  /** Its midnight in UTC. */
  day: Timestamp
  /** The table. */
  kind: string
  policy: string
  rows: number
}

interface ErasuresTable {
  id: string
  team_id: TeamId
  started: Timestamp
  ended: ColumnType<Date | null, undefined, Date>
  marks: Buffer[]
  counts: ColumnType<Record<string, number>, undefined, string>
}

declare module '../platform/database/tables.js' {
  interface ServiceTables {
    swept_rows: SweptRowsTable
    erasures: ErasuresTable
  }
}
