import type pg from 'pg'
import { IndexRows } from './index-rows'
import { indexedDids, newestDids } from './indexed-dids'
import { indexedRegistries } from './indexed-registries'
import { indexedRevocation } from './indexed-revocation'
import type { Storage } from './storage'

/**
 * The ledger's storage at a block as it must be by what the index says of that block: all but what the index knows of
 * the present only.
 */
export async function indexedState(client: pg.Client, block: number): Promise<Storage> {
  const index = new IndexRows(client, block)
  return { ...(await indexedDids(index)), ...(await indexedRegistries(index)), ...(await indexedRevocation(index)) }
}

/** The ledger's storage at the newest block as it must be. */
export async function newestState(client: pg.Client, block: number): Promise<Storage> {
  return { ...(await indexedState(client, block)), ...(await newestDids(new IndexRows(client, block))) }
}
