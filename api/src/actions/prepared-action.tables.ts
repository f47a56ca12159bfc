import type { Generated, JSONColumnType } from 'kysely'
import type { TeamId } from '../platform/database/ids.js'
import type { Timestamp } from '../platform/database/tables.js'
import type { ExpectedVersion } from './ledger-call.js'

interface PreparedActionsTable {
  id: Generated<number>
  team_id: TeamId
  did: string
  key_id: number
  call_hash: string
  /** The hash of the calls before versions were filled in, where some were, and those versions. */
  wish_hash: Generated<string | null>
  versions: JSONColumnType<ExpectedVersion[] | null, string | null | undefined>
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
