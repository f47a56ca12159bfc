import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.js'

/** Forgets a DID without asking the ledger; its keys are destroyed when all its accepted actions are signed. */
export async function forgetDid(tx: Tx, did: string, now: Date): Promise<void> {
  await tx.updateTable('dids').set({ status: 'deleted', updated: now }).where('did', '=', did).execute()
  await retireForgotten(tx, [did])
}

/**
 * The keys of forgotten DIDs go out of use once no change of the DID is under way; until then they tell its next state.
 */
export async function retireForgotten(tx: Tx, dids: readonly string[]): Promise<void> {
  await sql`update did_keys k set state = 'retired' from dids d
    where d.did = k.did and d.did = any(${dids}::text[]) and d.status = 'deleted' and d.open_jobs = '{}'`.execute(tx)
}
