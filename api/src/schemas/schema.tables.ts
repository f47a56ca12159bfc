import type { ColumnType, Generated } from 'kysely'
import type { TeamId } from '../platform/database/ids.js'
import type { JsonColumn, Timestamp } from '../platform/database/tables.js'
import type { JsonObject } from './check/schema-rules.js'

export interface SchemasTable {
  id: string
  n: Generated<number>
  hash: string
  file: string
  team_id: TeamId
  owner_name: string
  name: string
  type_name: string
  version: number
  milliseconds: number
  document: JsonColumn<JsonObject>
  context_url: string
  context: JsonColumn<JsonObject>
  created: Timestamp
  deleted: ColumnType<Date | null, Date | null | undefined, Date | null>
}

declare module '../platform/database/tables.js' {
  interface ServiceTables {
    schemas: SchemasTable
  }
}
