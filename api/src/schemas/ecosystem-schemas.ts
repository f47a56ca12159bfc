import { sql } from 'kysely'
import type { Reader } from '../platform/database/database.js'

/** Whether a registry on the ledger lists the schema now. */
export async function isInEcosystem(reader: Reader, hash: string): Promise<boolean> {
  const { rows } = await sql<{ used: boolean }>`
    select exists (select from ledger.registry_schema where schema_id = ${hash} and to_block is null) as used`.execute(
    reader,
  )
  return rows[0]?.used ?? false
}

/** Hashes of all schemas of the registries that the reader's DIDs convene or take part in now. */
export async function ecosystemSchemas(reader: Reader): Promise<string[]> {
  const { rows } = await sql<{ schema_id: string }>`
    with own as materialized (
      select did from dids where status in ('pending', 'active')
      union select held.did from unnest(service.current_teams()) team,
        service.held_among(team, array(select mine.did from (select did from dids union select did from did_proofs) mine
          where exists (select from ledger.trust_registry r where r.convener = mine.did and r.to_block is null offset 0))) held (did)),
    registries as materialized (
      select registry_id from ledger.trust_registry where convener = any(array(select did from own)) and to_block is null
      union select registry_id from ledger.issuer where did = any(array(select did from own)) and to_block is null
      union select registry_id from ledger.verifier where did = any(array(select did from own)) and to_block is null
    )
    select distinct schema_id from ledger.registry_schema
    where registry_id = any(array(select registry_id from registries)) and to_block is null`.execute(reader)
  return rows.map((row) => row.schema_id)
}

/** Since when the ledger knows a schema by this hash; undefined when no registry ever listed it. */
export async function knownOnLedgerSince(reader: Reader, hash: string): Promise<Date | undefined> {
  const { rows } = await sql<{ time: Date }>`
    select b.time from ledger.registry_schema s join ledger.block b on b.height = s.from_block
    where s.schema_id = ${hash} order by s.from_block limit 1`.execute(reader)
  return rows[0]?.time
}
