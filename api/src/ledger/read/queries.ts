import type { Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { At } from './at.js'
import type { IndexReader } from './index-db.js'
import { suspendedAt } from './participants/participant-counts.js'
import { isEmptyFilter, type LedgerFilter, registryMatches, schemaMatches } from './query-filter.js'
import { validAt } from './temporal.js'

type Index = { db: IndexReader }

/** One page of an answer: the next one begins at `next`, null at the end. */
export interface Answer<Item> {
  list: Item[]
  next: string | null
}

export interface Paging {
  at: Pick<At, 'block'>
  /** The id after which the page begins. */
  cursor?: string | undefined
}

/** The most ids in an answer, and the most things with all that belongs to them. */
const IDS_MAX = 1000
const INFOS_MAX = 100

const NOTHING = { list: [], next: null }

/** Returns the ids of the registries that match, in order. */
export async function registryIds({ db }: Index, filter: LedgerFilter, paging: Paging): Promise<Answer<string>> {
  if (isEmptyFilter(filter)) return NOTHING
  const { block } = paging.at
  const { rows } = await sql<{ id: string }>`
    select r.registry_id as id from ledger.trust_registry r
    where ${validAt('r', block)} and ${registryMatches(filter, block)} and ${beyond('r.registry_id', paging.cursor)}
    order by r.registry_id collate "C" limit ${IDS_MAX + 1}`.execute(db)
  return pageOf(
    rows.map(({ id }) => id),
    IDS_MAX,
    (id) => id,
  )
}

/** Returns the ids of the schemas of a registry that match, in order. */
export async function registrySchemaIds(
  { db }: Index,
  registryId: Hex32,
  filter: LedgerFilter,
  paging: Paging,
  max = IDS_MAX,
): Promise<Answer<string>> {
  if (isEmptyFilter(filter)) return NOTHING
  const { block } = paging.at
  const { rows } = await sql<{ id: string }>`
    select s.schema_id as id from ledger.registry_schema s
      join ledger.trust_registry r on r.registry_id = s.registry_id and ${validAt('r', block)}
    where s.registry_id = ${registryId} and ${validAt('s', block)} and ${schemaMatches(filter, block)}
      and ${beyond('s.schema_id', paging.cursor)}
    order by s.schema_id collate "C" limit ${max + 1}`.execute(db)
  return pageOf(
    rows.map(({ id }) => id),
    max,
    (id) => id,
  )
}

/** The role that a DID of the filter has in a registry. */
interface Match {
  did: string
  role: 'issuer' | 'verifier'
  /** Listed itself. */
  direct: boolean
  /** Issuers that delegated to it, for whatever schemas they issue. */
  delegatedBy: string[]
  suspended: boolean
}

export interface RegistryInfo {
  id: string
  convener: string
  name: string
  govFramework: string
  version: number
  /** The DIDs of the filter, in each role that the filter asks for. */
  matches: Match[]
}

interface RegistryInfoRow extends Omit<RegistryInfo, 'matches'> {
  matches: Match[] | null
}

/** Returns the registries that match, with the roles of the filter's DIDs there. */
export async function registriesInfo(
  { db }: Index,
  filter: LedgerFilter,
  paging: Paging,
): Promise<Answer<RegistryInfo>> {
  if (isEmptyFilter(filter)) return NOTHING
  const { block } = paging.at
  const asIssuers = [...(filter.issuers ?? []), ...(filter.issuersOrVerifiers ?? [])]
  const asVerifiers = [...(filter.verifiers ?? []), ...(filter.issuersOrVerifiers ?? [])]
  const { rows } = await sql<RegistryInfoRow>`
    with page as materialized (
      select r.* from ledger.trust_registry r
      where ${validAt('r', block)} and ${registryMatches(filter, block)} and ${beyond('r.registry_id', paging.cursor)}
      order by r.registry_id collate "C" limit ${INFOS_MAX + 1}
    ), place as (
      select l.registry_id, l.did, 'issuer' as role, true as direct, null as by, null as by_order
        from page r join ledger.issuer l on l.registry_id = r.registry_id
        where l.did = any(${asIssuers}::text[]) and ${validAt('l', block)}
      union
      select d.registry_id, d.delegate, 'issuer', false, d.issuer, d.issuer_order
        from page r join ledger.delegation d on d.registry_id = r.registry_id
        where d.delegate = any(${asIssuers}::text[]) and ${validAt('d', block)}
      union
      select l.registry_id, l.did, 'verifier', true, null, null
        from page r join ledger.verifier l on l.registry_id = r.registry_id
        where l.did = any(${asVerifiers}::text[]) and ${validAt('l', block)}
    ), told as (
      select p.registry_id, p.did, p.role, bool_or(p.direct) as direct,
        coalesce(array_agg(p.by order by p.by_order collate "C") filter (where p.by is not null), '{}') as delegated_by,
        ${suspendedAt(sql.ref('p.registry_id'), sql.ref('p.did'), block)} as suspended
      from place p group by p.registry_id, p.did, p.role
    )
    select r.registry_id as id, r.convener, r.name, r.gov_framework as "govFramework", r.version, (
      select jsonb_agg(jsonb_build_object('did', t.did, 'role', t.role, 'direct', t.direct,
        'delegatedBy', to_jsonb(t.delegated_by), 'suspended', t.suspended) order by t.did collate "C", t.role)
      from told t where t.registry_id = r.registry_id) as matches
    from page r order by r.registry_id collate "C"`.execute(db)
  return pageOf(
    rows.map((row) => ({ ...row, matches: row.matches ?? [] })),
    INFOS_MAX,
    ({ id }) => id,
  )
}

/** Tells in SQL whether an id stands after the cursor; true without a cursor. */
function beyond(column: string, cursor: string | undefined) {
  return cursor === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} collate "C" > ${cursor}`
}

function pageOf<Item>(rows: Item[], max: number, idOf: (item: Item) => string): Answer<Item> {
  const list = rows.slice(0, max)
  const last = list.at(-1)
  return { list, next: rows.length > max && last !== undefined ? idOf(last) : null }
}
