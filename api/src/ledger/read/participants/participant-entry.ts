import type { Did, Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { At } from '../at.js'
import type { LedgerRole } from '../authorization.js'
import type { IndexReader } from '../index-db.js'
import { validAt } from '../temporal.js'

export interface ParticipantEntry {
  schemaId: Hex32
  role: LedgerRole
}

/** Returns the oldest entry under which a registry itself lists a DID at a block; undefined: it has none. */
export async function participantEntryAt(
  { db }: { db: IndexReader },
  registryId: Hex32,
  did: Did,
  { block }: Pick<At, 'block'>,
): Promise<ParticipantEntry | undefined> {
  const listed = (table: LedgerRole) => sql`
    select l.schema_id as "schemaId", ${table}::text as role, l.from_block from ${sql.table(`ledger.${table}`)} l
    where l.registry_id = ${registryId} and l.did = ${did} and ${validAt('l', block)}`
  const { rows } = await sql<ParticipantEntry>`
    ${listed('issuer')} union all ${listed('verifier')} order by from_block, "schemaId", role limit 1`.execute(db)
  const [entry] = rows
  return entry && { schemaId: entry.schemaId, role: entry.role }
}
