import type { Did, Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { At } from '../ledger/at.js'
import { authorizationAt, type LedgerRole } from '../ledger/authorization.js'
import type { ContextServices } from '../platform/context.js'
import { type Authorization, silence } from './authorization-of.js'

/** What a registry says of a DID that it lists, in whatever schema and role. Suspension and deactivation are over all of them, so that one place tells. */
export async function listedIn(
  { index }: Pick<ContextServices, 'index'>,
  registryId: Hex32,
  did: Did,
  at: At,
): Promise<Authorization> {
  const listed = (table: LedgerRole) => sql`
    select schema_id as "schemaId", ${table}::text as role, from_block from ${sql.table(`ledger.${table}`)}
    where registry_id = ${registryId} and did = ${did} and from_block <= ${at.block}::int
      and (to_block is null or to_block > ${at.block}::int)`
  const { rows } = await sql<{ schemaId: Hex32; role: LedgerRole }>`
    ${listed('issuer')} union all ${listed('verifier')} order by from_block, "schemaId", role limit 1`.execute(index.db)
  const [place] = rows
  return place ? authorizationAt(index, { registryId, did, ...place, at }) : silence('not_listed', at)
}
