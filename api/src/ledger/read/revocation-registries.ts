import { sql } from 'kysely'
import { presentHeight } from './blocks.js'
import { unendedAt } from './temporal.js'

/** Rows `(did)`: all who may change a revocation registry, or could once. */
export const everSignersOf = (id: string) => sql`
  select unnest(r.policy || r.creator) as did from ledger.revocation_registry r where r.registry_id = ${id}`

/**
 * Rows `(registry_id, creator)`: the revocation registries that a DID may change now. One that is removed by a block
 * after the present one, which may be taken back, is among them.
 */
export const registriesSignedBy = (did: string) => sql`
  select r.registry_id, r.creator from ledger.revocation_registry r
  where ${unendedAt('r', presentHeight)} and ${did} = any(r.policy || r.creator)`
