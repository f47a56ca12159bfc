import { sql } from 'kysely'
import type { Reader } from '../../platform/database/database.js'

/**
 * Returns the next nonce of a DID whose keys are here: what the ledger has counted, and what is on its way to it. The
 * caller holds the DID's row, so that no other action takes the nonce meanwhile.
 */
export async function nextNonce(reader: Reader, did: string): Promise<number> {
  const { rows } = await sql<{ next: number }>`
    select 1 + coalesce((select n.nonce from ledger.nonce n where n.id = ${did}), 0) + (
      select count(*) from service.ledger_actions a
      where a.did = ${did} and a.action ->> 'kind' <> 'create' and (a.state in ('pending', 'accepted')
        or (a.state = 'included' and a.block_height > (select max(b.height) from ledger.block b))))::int as next`.execute(
    reader,
  )
  return rows[0]?.next ?? 1
}
