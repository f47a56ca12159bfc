import type { Generated } from 'kysely'
import type { TeamId } from '../../platform/database/ids.js'
import type { Timestamp } from '../../platform/database/tables.js'

export type RemoteKind = 'schema' | 'context'

interface RemoteDocumentsTable {
  n: Generated<number>
  team_id: TeamId
  kind: RemoteKind
  url: string
  digest: Buffer
  document: string
  fetched: Timestamp
  is_issued: boolean
}

declare module '../../platform/database/tables.js' {
  interface ServiceTables {
    remote_documents: RemoteDocumentsTable
  }
}
