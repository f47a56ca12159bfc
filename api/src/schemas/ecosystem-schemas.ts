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
    with own as (
      select did from dids where status in ('pending', 'active')
      union select held.did from unnest(service.current_teams()) team,
        service.held_among(team, array(select distinct convener from ledger.trust_registry where to_block is null)) held (did)),
    registries as (
      select registry_id from ledger.trust_registry r join own on own.did = r.convener where r.to_block is null
      union select registry_id from ledger.issuer i join own using (did) where i.to_block is null
      union select registry_id from ledger.verifier v join own using (did) where v.to_block is null
    )
    select distinct s.schema_id from ledger.registry_schema s join registries using (registry_id) where s.to_block is null`.execute(
    reader,
  )
  return rows.map((row) => row.schema_id)
}

/** Since when the ledger knows a schema by this hash; undefined when no registry ever listed it. */
export async function knownOnLedgerSince(reader: Reader, hash: string): Promise<Date | undefined> {
  const { rows } = await sql<{ time: Date }>`
    select b.time from ledger.registry_schema s join ledger.block b on b.height = s.from_block
    where s.schema_id = ${hash} order by s.from_block limit 1`.execute(reader)
  return rows[0]?.time
}
