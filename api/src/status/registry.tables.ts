import type { ColumnType, Generated } from 'kysely'
import type { TeamId } from '../platform/database/ids.js'
import type { Timestamp } from '../platform/database/tables.js'

export type RegistryStatus = 'pending' | 'active' | 'failed' | 'removing' | 'removed'

/** The purposes of status lists. */
export const PURPOSES = ['revocation', 'suspension', 'message'] as const
export type Purpose = (typeof PURPOSES)[number]

/** The choices that are made with a registry, and stand nowhere on the ledger. */
export interface ListTerms {
  purpose: Purpose
  /** The time for which a reader may keep its list. */
  ttl_seconds: number
  /** The texts of 0 and 1, where the purpose is to tell a message. */
  messages: string[] | null
}

export interface RevocationRegistriesTable extends ListTerms {
  id: string
  n: Generated<number>
  team_id: TeamId
  creator: string
  policy: string[]
  add_only: boolean
  /** A method of `STATUS_METHODS`. */
  type: string
  length: number
  automatic: boolean
  issuing: boolean
  /** True where it gives no more places: credentials that were lost with a database may have them. */
  closed: boolean
  status: RegistryStatus
  job_id: string
  created: Timestamp
}

interface StatusEntriesTable {
  registry_id: string
  index: number
  team_id: TeamId
  revocation_id: string
  touched: ColumnType<Date | null, Date | null | undefined, Date | null>
}

interface StatusListsTable {
  registry_id: string
  /** The type of registries whose form of list it is. */
  form: string
  changed_at: number
  signed_by: string
  document: string
  created: Timestamp
}

declare module '../platform/database/tables.js' {
  interface ServiceTables {
    revocation_registries: RevocationRegistriesTable
    status_entries: StatusEntriesTable
    status_lists: StatusListsTable
  }
}
