import { type RawBuilder, sql } from 'kysely'

/** The nonce that the ledger has counted of a DID, in SQL; null where it counted none. */
export const countedNonce = (did: string): RawBuilder<number | null> =>
  sql<number | null>`(select n.nonce from ledger.nonce n where n.id = ${did})`
