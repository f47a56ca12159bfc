import './did.tables.js'
import type { Insertable } from 'kysely'
import type { Tx } from '../platform/database/database.js'
import type { ServiceTables } from '../platform/database/tables.js'

/**
 * A team brought what the DID signed with a key that is not here. While no team has its keys here, and the ledger has this
 * key, the DID is the team's that brought the last of it.
 */
export async function proveControl(tx: Tx, proof: Insertable<ServiceTables['did_proofs']>): Promise<void> {
  await tx
    .insertInto('did_proofs')
    .values(proof)
    .onConflict((conflict) => conflict.columns(['did', 'team_id', 'key_id']).doUpdateSet({ proved: proof.proved }))
    .execute()
}
