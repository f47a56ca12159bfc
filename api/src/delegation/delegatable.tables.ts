import type { TeamId } from '../platform/database/ids.js'
import type { Timestamp } from '../platform/database/tables.js'

interface DelegatableRegistriesTable {
  registry_id: string
  /** The team that pays for it. */
  team_id: TeamId
  /** The DID that asked for it. */
  owner: string
  created: Timestamp
}

interface WalletTokensTable {
  digest: Buffer
  expires: Timestamp
}

declare module '../platform/database/tables.js' {
  interface ServiceTables {
    delegatable_registries: DelegatableRegistriesTable
    wallet_tokens: WalletTokensTable
  }
}
