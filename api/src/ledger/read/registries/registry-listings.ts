import type { Did, Hex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import type { At } from '../at.js'
import type { IndexReader } from '../index-db.js'
import { countedAt, partOf, suspendedAt } from '../participants/participant-counts.js'
import { type LedgerFilter, registryMatches } from '../query-filter.js'
import { validAt } from '../temporal.js'

type Index = { db: IndexReader }

/** Part of a list: the rows after an id, and one more than wanted, which tells whether there is more. */
export interface Slice {
  at: Pick<At, 'block'>
  after?: string | undefined
  first: number
}

export interface Listed<Item> {
  list: Item[]
  hasMore: boolean
}

/** The most rows that are counted for a total. */
export const MOST_COUNTED = 10_000

/** Counts rows; null: there are more than are counted. */
export async function countRows(db: IndexReader, rows: RawBuilder<unknown>): Promise<number | null> {
  const { rows: counted } = await sql<{ total: number }>`
    select count(*)::int as total from (${rows} limit ${MOST_COUNTED + 1}) r`.execute(db)
  const total = counted[0]?.total ?? 0
  return total > MOST_COUNTED ? null : total
}

export interface RegistryFacts {
  id: string
  convener: string
  pendingConvener: string | null
  name: string
  govFramework: string
  version: number
}

/** Returns registries at a block, in the order of their ids; without a filter, all of them. */
export async function listRegistries(
  { db }: Index,
  filter: LedgerFilter | undefined,
  { at: { block }, after, first }: Slice,
): Promise<Listed<RegistryFacts>> {
  const { rows } = await sql<RegistryFacts>`
    select ${REGISTRY_FACTS} ${registriesAt(filter, block)} and ${beyond('r.registry_id', after)}
    order by r.registry_id collate "C" limit ${first + 1}`.execute(db)
  return listed(rows, first)
}

const registriesAt = (filter: LedgerFilter | undefined, block: number) => sql`
  from ledger.trust_registry r
  where ${validAt('r', block)} and ${filter === undefined ? sql`true` : registryMatches(filter, block)}`

export const countRegistries = ({ db }: Index, filter: LedgerFilter | undefined, { block }: Pick<At, 'block'>) =>
  countRows(db, sql`select ${registriesAt(filter, block)}`)

export async function registryFactsAt(
  { db }: Index,
  id: Hex32,
  { block }: Pick<At, 'block'>,
): Promise<RegistryFacts | undefined> {
  const { rows } = await sql<RegistryFacts>`
    select ${REGISTRY_FACTS} from ledger.trust_registry r where r.registry_id = ${id} and ${validAt('r', block)}`.execute(
    db,
  )
  return rows[0]
}

const REGISTRY_FACTS = sql`r.registry_id as id, r.convener, r.pending_convener as "pendingConvener", r.name,
  r.gov_framework as "govFramework", r.version`

export interface RegistrySchemaFacts {
  id: string
  public: boolean
}

export async function listRegistrySchemas(
  { db }: Index,
  registryId: string,
  { at: { block }, after, first }: Slice,
): Promise<Listed<RegistrySchemaFacts>> {
  const { rows } = await sql<RegistrySchemaFacts>`
    select s.schema_id as id, s.is_public as public ${schemasOf(registryId, block)} and ${beyond('s.schema_id', after)}
    order by s.schema_id collate "C" limit ${first + 1}`.execute(db)
  return listed(rows, first)
}

const schemasOf = (registryId: string, block: number) => sql`
  from ledger.registry_schema s where s.registry_id = ${registryId} and ${validAt('s', block)}`

export const countRegistrySchemas = ({ db }: Index, registryId: string, { block }: Pick<At, 'block'>) =>
  countRows(db, sql`select ${schemasOf(registryId, block)}`)

export interface ParticipantFacts {
  did: string
  /** True for a suspension by the convener, or since its DID is deactivated. */
  suspended: boolean
  deactivated: boolean
  issuerSchemas: string[]
  verifierSchemas: string[]
  /** Issuers that delegated to it. */
  delegatedBy: string[]
}

/** Returns everybody in a registry: issuers, verifiers and delegates, in the order of their DIDs. */
export async function listParticipants(
  { db }: Index,
  registryId: string,
  only: { schemaId?: Hex32; role?: 'issuer' | 'verifier' },
  { at: { block }, after, first }: Slice,
): Promise<Listed<ParticipantFacts>> {
  const slice = { at: { block }, after, first }
  const { rows } = await sql<ParticipantFacts>`
    with page as materialized (
      select p.did from (${sql.join(placesOf(registryId, only, slice), sql` union `)}) p
      order by p.did collate "C" limit ${first + 1}
    )
    select p.did, gone.deactivated,
      gone.deactivated or ${suspendedAt(sql`${registryId}`, sql.ref('p.did'), block)} as suspended,
      array(select l.schema_id from ledger.issuer l where l.registry_id = ${registryId} and l.did = p.did
        and ${validAt('l', block)} order by l.schema_id collate "C") as "issuerSchemas",
      array(select l.schema_id from ledger.verifier l where l.registry_id = ${registryId} and l.did = p.did
        and ${validAt('l', block)} order by l.schema_id collate "C") as "verifierSchemas",
      array(select d.issuer from ledger.delegation d where d.registry_id = ${registryId} and d.delegate = p.did
        and ${validAt('d', block)} order by d.issuer_order collate "C") as "delegatedBy"
    from page p
      cross join lateral (
        select exists (select from ledger.did d where d.did = p.did and d.to_block <= ${block}) as deactivated
      ) gone
    order by p.did collate "C"`.execute(db)
  return listed(rows, first)
}

/**
 * The index counts those who are listed themselves. Other delegates are counted here, up to a limit; null beyond it.
 */
export async function countParticipants(
  { db }: Index,
  registryId: string,
  only: { schemaId?: Hex32; role?: 'issuer' | 'verifier' },
  { block }: Pick<At, 'block'>,
): Promise<number | null> {
  const part = partOf(only)
  const { rows } = await sql<{ total: number }>`
    select ${countedAt('listed', sql`${registryId}`, sql`${part}`, block)}::int as total`.execute(db)
  const listed = rows[0]?.total ?? 0
  if (only.role === 'verifier') return listed
  const delegates = await countRows(
    db,
    sql`select from (${delegatesOf(registryId, only.schemaId, { at: { block }, first: MOST_COUNTED })}) g
      where not exists (select from ledger.listing l where l.part = ${part} and l.registry_id = ${registryId}
        and l.did = g.did and ${validAt('l', block)})`,
  )
  return delegates === null ? null : listed + delegates
}

/** Selects the first DIDs that are listed themselves and, where issuers are asked for, their first delegates. */
function placesOf(
  registryId: string,
  { schemaId, role }: { schemaId?: Hex32; role?: 'issuer' | 'verifier' },
  slice: Slice,
) {
  const { block } = slice.at
  const { after, first } = slice
  const listed = sql`(select l.did from ledger.listing l where l.part = ${partOf({ role, schemaId })} and l.registry_id = ${registryId} and ${validAt('l', block)}
    and ${beyond('l.did', after)} order by l.did collate "C" limit ${first + 1})`
  if (role === 'verifier') return [listed]
  return [listed, sql`(select g.did collate "default" from (${delegatesOf(registryId, schemaId, slice)}) g)`]
}

/**
 * The rows are checked one after the other in the order of the list: `offset 0` keeps them from being joined with every
 * issuer.
 */
function delegatesOf(registryId: string, schemaId: Hex32 | undefined, { at: { block }, after, first }: Slice) {
  const ofSchema = schemaId === undefined ? sql`true` : sql`l.schema_id = ${schemaId}`
  return sql`
    select d.delegate collate "C" as did from ledger.delegation d
    where d.registry_id = ${registryId} and ${validAt('d', block)} and ${beyond('d.delegate', after)}
      and exists (select from ledger.issuer l where l.registry_id = d.registry_id and l.did = d.issuer
        and ${validAt('l', block)} and ${ofSchema} offset 0)
    group by 1 order by 1 limit ${first + 1}`
}

/** Returns the DIDs of the ledger that existed at a block, deactivated ones too, in order. */
export async function listDids({ db }: Index, { at: { block }, after, first }: Slice): Promise<Listed<{ id: string }>> {
  const { rows } = await sql<{ id: string }>`
    select d.did as id ${didsAt(block)} and ${beyond('d.did', after)}
    order by d.did collate "C" limit ${first + 1}`.execute(db)
  return listed(rows, first)
}

const didsAt = (block: number) => sql`from ledger.did d where d.from_block <= ${block}`

export const countDids = ({ db }: Index, { block }: Pick<At, 'block'>) => countRows(db, sql`select ${didsAt(block)}`)

/** Returns the ids of revocation registries that existed at a block, removed ones too, in order. */
export async function listRevocationRegistries(
  { db }: Index,
  creator: Did | undefined,
  { at: { block }, after, first }: Slice,
): Promise<Listed<{ id: string }>> {
  const { rows } = await sql<{ id: string }>`
    select distinct v.registry_id collate "C" as id ${revocationRegistriesOf(creator, block)} and ${beyond('v.registry_id', after)}
    order by id limit ${first + 1}`.execute(db)
  return listed(rows, first)
}

const revocationRegistriesOf = (creator: Did | undefined, block: number) => sql`
  from ledger.revocation_registry v
  where v.from_block <= ${block} and ${creator === undefined ? sql`true` : sql`v.creator = ${creator}`}`

export const countRevocationRegistries = ({ db }: Index, creator: Did | undefined, { block }: Pick<At, 'block'>) =>
  countRows(db, sql`select distinct v.registry_id ${revocationRegistriesOf(creator, block)}`)

function beyond(column: string, after: string | undefined): RawBuilder<unknown> {
  return after === undefined ? sql`true` : sql`${sql.ref(column)} collate "C" > ${after}`
}

function listed<Item>(rows: Item[], first: number): Listed<Item> {
  return { list: rows.slice(0, first), hasMore: rows.length > first }
}
