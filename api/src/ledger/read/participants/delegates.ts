import type { Did, Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { Reader } from '../../../platform/database/database.js'
import { type AtBlock, validAt } from '../temporal.js'

/** The delegates of an issuer, in the order of their bytes; undefined where it issues nothing. */
export async function delegatesOf(
  reader: Reader,
  { block }: AtBlock,
  registry: Hex32,
  issuer: Did,
): Promise<Did[] | undefined> {
  const { rows } = await sql<{ delegates: Did[] }>`
    select array(select d.delegate from ledger.delegation d
      where d.registry_id = ${registry} and d.issuer = ${issuer} and ${validAt('d', block)}
      order by d.delegate collate "C") as delegates
    where exists (select from ledger.issuer i
      where i.registry_id = ${registry} and i.did = ${issuer} and ${validAt('i', block)})`.execute(reader)
  return rows[0]?.delegates
}
