import type { TeamId } from '../platform/database/ids.js'
import type { Timestamp } from '../platform/database/tables.js'

interface ExpiryNoticesTable {
  kind: string
  id: string
  expires: Timestamp
  team_id: TeamId
  told: Timestamp
}

declare module '../platform/database/tables.js' {
  interface ServiceTables {
    expiry_notices: ExpiryNoticesTable
  }
}
