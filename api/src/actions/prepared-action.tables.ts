import type { Generated } from 'kysely'
import type { Timestamp } from '../platform/database/tables.js'
import type { TeamId } from '../platform/ids.js'

interface PreparedActionsTable {
  id: Generated<number>
  team_id: TeamId
  did: string
  key_id: number
  call_hash: string
  nonce: number | null
  /** Milliseconds since 1970. */
  valid_until: number | null
  signature: string | null
  job_id: string | null
  created: Timestamp
}

declare module '../platform/database/tables.js' {
  interface ServiceTables {
    prepared_actions: PreparedActionsTable
  }
}
