import { sql } from 'kysely'

/** Rows `(did)`: all who may change a revocation registry, or could once. */
export const everSignersOf = (id: string) => sql`
  select unnest(r.policy || r.creator) as did from ledger.revocation_registry r where r.registry_id = ${id}`

/** Rows `(registry_id, creator)`: the revocation registries that a DID may change now. */
export const registriesSignedBy = (did: string) => sql`
  select r.registry_id, r.creator from ledger.revocation_registry r
  where r.to_block is null and ${did} = any(r.policy || r.creator)`
