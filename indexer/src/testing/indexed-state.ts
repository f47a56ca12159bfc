import type pg from 'pg'
import { IndexRows } from './index-rows'
import { indexedDids, newestDids } from './indexed-dids'
import { indexedRegistries } from './indexed-registries'
import { indexedRevocation } from './indexed-revocation'
import type { Storage } from './storage'

/**
 * Returns the ledger's storage at a block that follows from the index, without the parts that the index knows for the
 * present only.
 */
export async function indexedState(client: pg.Client, block: number): Promise<Storage> {
  const index = new IndexRows(client, block)
  return { ...(await indexedDids(index)), ...(await indexedRegistries(index)), ...(await indexedRevocation(index)) }
}

/** Returns the ledger's storage at the newest block that follows from the index. */
export async function newestState(client: pg.Client, block: number): Promise<Storage> {
  return { ...(await indexedState(client, block)), ...(await newestDids(new IndexRows(client, block))) }
}
