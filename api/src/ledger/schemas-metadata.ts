import type { Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { IndexReader } from './index-db.js'
import { type Answer, type Paging, registrySchemaIds } from './queries.js'
import type { LedgerFilter } from './query-filter.js'
import { validAt } from './temporal.js'

interface IssuerEntry {
  did: string
  /** Listed itself; else only through a delegation. */
  direct: boolean
  /** Listed issuers of this schema that delegated to it. */
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
  /** Whether anyone may verify. */
  public: boolean
  issuers: IssuerEntry[]
  verifiers: VerifierEntry[]
  /** How many there are; the lists end at `PARTICIPANTS_MAX`. */
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

/** The schemas of a registry that match, with everybody who may issue or verify them. */
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
      select i.schema_id, i.did, i.prices, null as by, null as by_order from ledger.issuer i
        where i.registry_id = ${registryId} and i.schema_id = any(${ids}::text[]) and ${validAt('i', block)}
      union all
      select i.schema_id, d.delegate, null, d.issuer, d.issuer_order from ledger.issuer i
        join ledger.delegation d on d.registry_id = i.registry_id and d.issuer = i.did and ${validAt('d', block)}
        where i.registry_id = ${registryId} and i.schema_id = any(${ids}::text[]) and ${validAt('i', block)}
    ), entry as (
      select p.schema_id, p.did, bool_or(p.by is null) as direct, (array_agg(p.prices) filter (where p.by is null))[1] as prices,
        coalesce(array_agg(p.by order by p.by_order collate "C") filter (where p.by is not null), '{}') as "delegatedBy"
      from place p group by p.schema_id, p.did
    ), numbered as (
      select e.*, count(*) over (partition by e.schema_id)::int as total,
        row_number() over (partition by e.schema_id order by e.did collate "C") as n from entry e
    )
    select n.schema_id, n.did, n.direct, n.prices, n."delegatedBy", n.total, ${suspended('n', registryId, block)} as suspended
    from numbered n where n.n <= ${PARTICIPANTS_MAX} order by n.schema_id, n.n`.execute(db)
  return rows
}

async function verifiersOf(db: IndexReader, registryId: string, ids: string[], block: number) {
  const { rows } = await sql<VerifierEntry & { schema_id: string; total: number }>`
    with numbered as (
      select v.schema_id, v.did, count(*) over (partition by v.schema_id)::int as total,
        row_number() over (partition by v.schema_id order by v.did collate "C") as n
      from ledger.verifier v
      where v.registry_id = ${registryId} and v.schema_id = any(${ids}::text[]) and ${validAt('v', block)}
    )
    select n.schema_id, n.did, n.total, ${suspended('n', registryId, block)} as suspended
    from numbered n where n.n <= ${PARTICIPANTS_MAX} order by n.schema_id, n.n`.execute(db)
  return rows
}

function suspended(alias: string, registryId: string, block: number) {
  return sql<boolean>`exists (select from ledger.suspension u
    where u.registry_id = ${registryId} and u.did = ${sql.ref(`${alias}.did`)} and ${validAt('u', block)})`
}
