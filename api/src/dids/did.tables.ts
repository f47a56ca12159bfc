import type { ColumnType, Generated, Selectable } from 'kysely'
import type { KeyKind } from '../ledger/write/signer-door.js'
import type { TeamId } from '../platform/database/ids.js'
import type { JsonColumn, Timestamp } from '../platform/database/tables.js'

export type DidType = 'ledgerA' | 'key'
export type DidStatus = 'pending' | 'active' | 'failed' | 'deleting' | 'deleted'

/** A service entry as the ledger holds it. */
export interface StoredService {
  id: string
  type: string
  endpoints: string[]
}

interface DidsTable {
  did: string
  n: Generated<number>
  team_id: TeamId
  type: DidType
  status: DidStatus
  controllers: string[]
  services: JsonColumn<StoredService[]>
  job_id: string | null
  open_jobs: string[]
  created: Timestamp
  updated: Timestamp
}

interface DidKeysTable {
  did: string
  team_id: TeamId
  key_id: number
  kind: KeyKind
  public_key: string
  key_ref: string
  relationships: number
  state: 'pending' | 'active' | 'retiring' | 'retired' | 'failed'
  destroyed: ColumnType<Date | null, Date | null | undefined, Date | null>
}

interface DidProofsTable {
  did: string
  team_id: TeamId
  key_id: number
  proved: Timestamp
}

interface MacKeysTable {
  did: string
  team_id: TeamId
  public_key: string
  key_ref: string
  created: Timestamp
  /** Since when the signer lets it check only, and make no more. */
  retired: Timestamp | null
}

export type KeyRow = Selectable<DidKeysTable>

declare module '../platform/database/tables.js' {
  interface ServiceTables {
    dids: DidsTable
    did_keys: DidKeysTable
    did_proofs: DidProofsTable
    mac_keys: MacKeysTable
  }
}
