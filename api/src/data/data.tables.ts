import type { ColumnType, Generated } from 'kysely'
import type { TeamId } from '../platform/database/ids.js'
import type { JsonColumn, Timestamp } from '../platform/database/tables.js'

interface SweptRowsTable {
  team_id: TeamId
  /** Its midnight in UTC. */
  day: Timestamp
  /** The table. */
  kind: string
  policy: string
  rows: number
}

export interface ErasuresTable {
  id: string
  team_id: TeamId
  started: Timestamp
  ended: ColumnType<Date | null, undefined, Date>
  marks: Buffer[]
  counts: Generated<JsonColumn<Record<string, number>>>
  held_until: ColumnType<Date | null, undefined, Date | null>
}

declare module '../platform/database/tables.js' {
  interface ServiceTables {
    swept_rows: SweptRowsTable
    erasures: ErasuresTable
  }
}
