import type { Did } from '@accredit/chain'
import { sql } from 'kysely'
import type { At } from './at.js'
import type { LedgerRole } from './authorization.js'
import type { IndexReader } from './index-db.js'
import { suspendedAt } from './participants/participant-counts.js'
import { countRows, type Listed } from './registries/registry-listings.js'
import { validAt } from './temporal.js'

/** A place that a DID has for one schema of a registry; through several issuers it has several. */
export interface DidRight {
  registryId: string
  schemaId: string
  role: LedgerRole
  /** The issuer that delegated; null: the DID is listed itself. */
  via: string | null
  /** True for a DID that is suspended in the registry, whatever its roles; also when it is deactivated. */
  suspended: boolean
  /** True when the DID may use the right: neither it nor the issuer that delegated is suspended or deactivated. */
  effective: boolean
  /** The time since which the DID has the right, suspended or not. */
  since: Date
  /** The event that gave the right. */
  event: string | null
}

interface Slice {
  at: Pick<At, 'block'>
  first: number
  /** The key of the right after which it begins. */
  after?: string | undefined
}

interface Row extends DidRight {
  key: string
}

/** The columns in the order of the list, in which no two rows are the same. */
export const keyOfRight = ({
  registryId,
  schemaId,
  role,
  via,
}: Pick<DidRight, 'registryId' | 'schemaId' | 'role' | 'via'>) => [registryId, schemaId, role, via ?? ''].join(' ')

const placesOf = (did: Did, block: number) => sql`
  select i.registry_id, i.schema_id, 'issuer' as role, null as via, null::int as delegated from ledger.issuer i
    where i.did = ${did} and ${validAt('i', block)}
  union all
  select d.registry_id, i.schema_id, 'issuer', d.issuer, d.from_block from ledger.delegation d
    join ledger.issuer i on i.registry_id = d.registry_id and i.did = d.issuer and ${validAt('i', block)}
    where d.delegate = ${did} and ${validAt('d', block)}
  union all
  select v.registry_id, v.schema_id, 'verifier', null, v.from_block from ledger.verifier v
    where v.did = ${did} and ${validAt('v', block)}`

/** Counts the rights of a DID; null: there are more than are counted. */
export const countDidRights = ({ db }: { db: IndexReader }, did: Did, { block }: Pick<At, 'block'>) =>
  countRows(db, sql`select from (${placesOf(did, block)}) p`)

/** Returns every right that a DID has at a block, by registry, schema, role and delegator. */
export async function didRightsAt(
  { db }: { db: IndexReader },
  did: Did,
  { at: { block }, first, after = '' }: Slice,
): Promise<Listed<DidRight>> {
  const { rows } = await sql<Row>`
    with place as (${placesOf(did, block)}), page as (
      select p.*, concat_ws(' ', p.registry_id, p.schema_id, p.role, coalesce(p.via, '')) collate "C" as key from place p
      where concat_ws(' ', p.registry_id, p.schema_id, p.role, coalesce(p.via, '')) collate "C" > ${after}
      order by key limit ${first + 1}
    ), dated as (
      select p.*, case when p.role = 'verifier' then p.delegated else greatest(p.delegated,
        ledger.issuer_since(p.registry_id, p.schema_id, coalesce(p.via, ${did}), ${block}::int)) end as begun
      from page p
    )
    select p.registry_id as "registryId", p.schema_id as "schemaId", p.role, p.via, b.time as since,
      ${suspendedAt(sql.ref('p.registry_id'), sql`${did}`, block)} as suspended,
      own.barred is null and (p.via is null or their.barred is null) as effective,
      ledger.event_behind(p.registry_id, p.schema_id, p.role, p.begun, true, array[${did}, p.via]::text[], p.via, false) as event
    from dated p
      join ledger.block b on b.height = p.begun
      cross join lateral ledger.standing_at(p.registry_id, ${did}, ${block}::int) own
      left join lateral ledger.standing_at(p.registry_id, p.via, ${block}::int) their on p.via is not null
    order by p.key`.execute(db)
  return { list: rows.slice(0, first), hasMore: rows.length > first }
}
