import type { Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { IndexReader } from './index-db.js'
import { countedAt, suspendedAt } from './participants/participant-counts.js'
import { type Answer, type Paging, registrySchemaIds } from './queries.js'
import type { LedgerFilter } from './query-filter.js'
import { validAt } from './temporal.js'

interface IssuerEntry {
  did: string
  /** True for a DID that is listed itself; false for one with a right only through a delegation. */
  direct: boolean
  /** The listed issuers of this schema that delegated to it. */
  delegatedBy: string[]
  suspended: boolean
  /** Millionths of a unit by currency, as text; absent for delegates. */
  prices?: Record<string, string>
}

interface VerifierEntry {
  did: string
  suspended: boolean
}

export interface SchemaMetadata {
  id: string
  /** True when anyone may verify. */
  public: boolean
  issuers: IssuerEntry[]
  verifiers: VerifierEntry[]
  /** The number of all issuers; the lists end at `PARTICIPANTS_MAX`. */
  issuerCount: number
  verifierCount: number
}

const SCHEMAS_MAX = 20
const PARTICIPANTS_MAX = 1000

interface IssuerRow extends Omit<IssuerEntry, 'prices'> {
  schema_id: string
  prices: Record<string, string> | null
  total: number
}

/** Returns the schemas of a registry that match, with everybody who may issue or verify them. */
export async function registrySchemasMetadata(
  index: { db: IndexReader },
  registryId: Hex32,
  filter: LedgerFilter,
  paging: Paging,
): Promise<Answer<SchemaMetadata>> {
  const { list: ids, next } = await registrySchemaIds(index, registryId, filter, paging, SCHEMAS_MAX)
  if (ids.length === 0) return { list: [], next: null }
  const { block } = paging.at
  const [schemas, issuers, verifiers] = await Promise.all([
    schemasOf(index.db, registryId, ids, block),
    issuersOf(index.db, registryId, ids, block),
    verifiersOf(index.db, registryId, ids, block),
  ])
  const list = schemas.map(({ id, is_public }) => {
    const ownIssuers = issuers.filter((row) => row.schema_id === id)
    const ownVerifiers = verifiers.filter((row) => row.schema_id === id)
    return {
      id,
      public: is_public,
      issuers: ownIssuers.map(({ did, direct, delegatedBy, suspended, prices }) => ({
        did,
        direct,
        delegatedBy,
        suspended,
        ...(prices !== null && { prices }),
      })),
      verifiers: ownVerifiers.map(({ did, suspended }) => ({ did, suspended })),
      issuerCount: ownIssuers[0]?.total ?? 0,
      verifierCount: ownVerifiers[0]?.total ?? 0,
    }
  })
  return { list, next }
}

async function schemasOf(db: IndexReader, registryId: string, ids: string[], block: number) {
  const { rows } = await sql<{ id: string; is_public: boolean }>`
    select s.schema_id as id, s.is_public from ledger.registry_schema s
    where s.registry_id = ${registryId} and s.schema_id = any(${ids}::text[]) and ${validAt('s', block)}
    order by s.schema_id collate "C"`.execute(db)
  return rows
}

async function issuersOf(db: IndexReader, registryId: string, ids: string[], block: number): Promise<IssuerRow[]> {
  const { rows } = await sql<IssuerRow>`
    with place as (
      select i.schema_id, i.did, i.prices, null as by, null as by_order from ${firstOf('issuer', registryId, ids, block)} i
      union all
      select i.schema_id, d.delegate, null, d.issuer, d.issuer_order from ledger.delegation d
        join ledger.issuer i on i.registry_id = d.registry_id and i.did = d.issuer and ${validAt('i', block)}
        where d.registry_id = ${registryId} and i.schema_id = any(${ids}::text[]) and ${validAt('d', block)}
    ), entry as (
      select p.schema_id, p.did, bool_or(p.by is null) as direct, (array_agg(p.prices) filter (where p.by is null))[1] as prices,
        coalesce(array_agg(p.by order by p.by_order collate "C") filter (where p.by is not null), '{}') as "delegatedBy"
      from place p group by p.schema_id, p.did
    ), numbered as (
      select e.*, row_number() over (partition by e.schema_id order by e.did collate "C") as n from entry e
    ), total as materialized (
      select s.schema_id, ${numberOf('issuer', registryId, block)}
        + (select count(distinct p.did)::int from place p where p.schema_id = s.schema_id and p.by is not null and not exists (
            select from ledger.issuer i where i.registry_id = ${registryId} and i.schema_id = p.schema_id and i.did = p.did
              and ${validAt('i', block)})) as total
      from unnest(${ids}::text[]) as s (schema_id)
    )
    select n.schema_id, n.did, n.direct, n.prices, n."delegatedBy", t.total, ${suspended('n', registryId, block)} as suspended
    from numbered n join total t on t.schema_id = n.schema_id where n.n <= ${PARTICIPANTS_MAX} order by n.schema_id, n.n`.execute(
    db,
  )
  return rows
}

async function verifiersOf(db: IndexReader, registryId: string, ids: string[], block: number) {
  const { rows } = await sql<VerifierEntry & { schema_id: string; total: number }>`
    with total as materialized (
      select s.schema_id, ${numberOf('verifier', registryId, block)} as total from unnest(${ids}::text[]) as s (schema_id)
    )
    select v.schema_id, v.did, t.total, ${suspended('v', registryId, block)} as suspended
    from ${firstOf('verifier', registryId, ids, block)} v join total t on t.schema_id = v.schema_id
    order by v.schema_id, v.did collate "C"`.execute(db)
  return rows
}

/** Selects the first DIDs that are listed in each schema: an answer holds no more of them. */
function firstOf(role: 'issuer' | 'verifier', registryId: string, ids: string[], block: number) {
  return sql`(select f.* from unnest(${ids}::text[]) as s (schema_id) cross join lateral (
    select l.* from ${sql.table(`ledger.${role}`)} l
    where l.registry_id = ${registryId} and l.schema_id = s.schema_id and ${validAt('l', block)}
    order by l.did collate "C" limit ${PARTICIPANTS_MAX}) f)`
}

/** Counts in SQL the DIDs that are listed in the schema of `s`. */
function numberOf(role: 'issuer' | 'verifier', registryId: string, block: number) {
  return countedAt('listed', sql`${registryId}`, sql`${`${role} `} || s.schema_id`, block)
}

function suspended(alias: string, registryId: string, block: number) {
  return suspendedAt(sql`${registryId}`, sql.ref(`${alias}.did`), block)
}
