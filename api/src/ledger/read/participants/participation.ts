import { sql } from 'kysely'
import type { Reader } from '../../../platform/database/database.js'

/** Tells whether the DID convenes, issues or verifies in a registry of the ledger now. */
export async function isParticipant(reader: Reader, did: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ledger.issuer where did = ${did} and to_block is null)
      or exists (select from ledger.verifier where did = ${did} and to_block is null)
      or exists (select from ledger.trust_registry where convener = ${did} and to_block is null) as found`.execute(
    reader,
  )
  return rows[0]?.found ?? false
}
