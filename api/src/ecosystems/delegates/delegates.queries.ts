import type { Did, Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { Reader } from '../../platform/database/database.js'
import type { ReadPoint } from '../read-point.js'
import { holdsAt } from '../registries/registry.queries.js'

/** The delegates that an issuer named, in the order of their bytes; undefined where the DID is no issuer. */
export async function delegatesOf(
  reader: Reader,
  point: ReadPoint,
  registry: Hex32,
  issuer: Did,
): Promise<Did[] | undefined> {
  const { rows } = await sql<{ delegates: Did[] }>`
    select array(select d.delegate from ledger.delegation d
      where d.registry_id = ${registry} and d.issuer = ${issuer} and ${holdsAt('d', point)}
      order by d.delegate collate "C") as delegates
    where exists (select from ledger.issuer i
      where i.registry_id = ${registry} and i.did = ${issuer} and ${holdsAt('i', point)})`.execute(reader)
  return rows[0]?.delegates
}
