import type { TeamId } from '../database/ids.js'
import type { Role } from '../database/tables.js'

/** The caller: an API key of a team. */
export interface Principal {
  readonly kind: 'apiKey'
  readonly keyId: number
  readonly team: TeamId
  readonly role: Role
}
