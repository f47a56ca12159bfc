import type { ColumnType, Generated } from 'kysely'
import type { TeamId } from '../platform/database/ids.js'
import type { Marks, Timestamp } from '../platform/database/tables.js'

type NullableTimestamp = ColumnType<Date | null, Date | string | null, Date | string | null>

export interface CredentialsTable {
  n: Generated<number>
  team_id: TeamId
  id: string
  issuer: string
  issuer_key: string
  issuer_name: string | null
  type: string
  subject_ref: string
  algorithm: string
  registry_id: string | null
  status_index: number | null
  issuance_date: Timestamp
  expiration_date: NullableTimestamp
  byte_size: number
  template: string | null
  sealed: Buffer | null
  /** Keyed hashes of its id and of those of its subjects. */
  marks: Marks
  created: Timestamp
}

declare module '../platform/database/tables.js' {
  interface ServiceTables {
    credentials: CredentialsTable
  }
}
