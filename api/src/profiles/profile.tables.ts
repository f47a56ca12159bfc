import type { ColumnType, Generated } from 'kysely'
import type { TeamId } from '../platform/database/ids.js'
import type { Timestamp } from '../platform/database/tables.js'

interface ProfilesTable {
  id: Generated<number>
  did: string
  team_id: TeamId
  name: string
  description: string
  logo_url: string
  created: Timestamp
  valid_from: Timestamp
  valid_to: ColumnType<Date | null, Date | null | undefined, Date | null>
}

interface LogosTable {
  sha256: string
  media_type: 'image/png' | 'image/jpeg' | 'image/bmp'
  bytes: Buffer
  created: Timestamp
}

interface LogoCopiesTable {
  url: string
  /** The first team that named it. */
  team_id: TeamId
  logo: string | null
  tried: ColumnType<Date | null, Date | null | undefined, Date | null>
}

declare module '../platform/database/tables.js' {
  interface ServiceTables {
    profiles: ProfilesTable
    logos: LogosTable
    logo_copies: LogoCopiesTable
  }
}
