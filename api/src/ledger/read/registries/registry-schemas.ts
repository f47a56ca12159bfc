import type { Did, Hex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../../platform/database/database.js'
import type { Page } from '../../../platform/http/pagination.js'
import { type AtBlock, validAt } from '../temporal.js'

/**
 * Rows `(registry_id, schema_id, is_public, since, total)`: one page of a registry's schemas at a block, newest first.
 */
export const schemaPage = (registry: Hex32, { block }: AtBlock, { offset, limit }: Page) => sql`
  select s.registry_id, s.schema_id, s.is_public, f.since, count(*) over () as total
  from ledger.registry_schema s
  cross join lateral (
    select max(o.from_block) as since from ledger.registry_schema o
    where o.registry_id = s.registry_id and o.schema_id = s.schema_id and o.from_block <= ${block}::int) f
  where s.registry_id = ${registry} and ${validAt('s', block)}
  order by f.since desc, s.schema_id limit ${limit} offset ${offset}`

/** Rows `(registry_id, schema_id)`: where any of these schemas is listed at a block, in every registry or in one. */
export const placesOf = (schemas: readonly Hex32[], registry: Hex32 | undefined, { block }: AtBlock) => sql`
  select s.registry_id, s.schema_id from ledger.registry_schema s
  where s.schema_id = any(${schemas}::text[]) and ${validAt('s', block)}
    ${registry === undefined ? sql`` : sql`and s.registry_id = ${registry}`}`

/** Tells whether anyone may verify a schema of a registry; undefined: the registry does not have it. */
export async function openness(
  reader: Reader,
  { block }: AtBlock,
  registry: Hex32,
  schema: Hex32,
): Promise<boolean | undefined> {
  const { rows } = await sql<{ is_public: boolean }>`
    select s.is_public from ledger.registry_schema s
    where s.registry_id = ${registry} and s.schema_id = ${schema} and ${validAt('s', block)}`.execute(reader)
  return rows[0]?.is_public
}

/** Tells in SQL whether anyone may verify a schema of a registry, for statements that have its hash. */
export const isOpen = (registry: Hex32, schema: RawBuilder<unknown>, { block }: AtBlock): RawBuilder<boolean> =>
  sql<boolean>`exists (select from ledger.registry_schema x
    where x.registry_id = ${registry} and x.schema_id = ${schema} and x.is_public and ${validAt('x', block)})`

/** Returns the schemas that anyone may verify at a block. The ledger closes one as soon as a verifier is named. */
export async function openAmong(
  reader: Reader,
  { block }: AtBlock,
  registry: Hex32,
  schemas: readonly Hex32[],
): Promise<Set<Hex32>> {
  if (schemas.length === 0) return new Set()
  const { rows } = await sql<{ schema_id: Hex32 }>`
    select x.schema_id from ledger.registry_schema x
    where x.registry_id = ${registry} and x.schema_id = any(${schemas}::text[]) and x.is_public
      and ${validAt('x', block)}`.execute(reader)
  return new Set(rows.map(({ schema_id }) => schema_id))
}

export interface ListedIssuer {
  readonly did: Did
  /** The number of schemas of the registry that it issues: its delegations end with the last one. */
  readonly schemas: number
  readonly delegates: number
}

/** A schema of a registry with everyone who is listed in it. */
export interface ListedSchema {
  readonly schema: Hex32
  readonly issuers: readonly ListedIssuer[]
  readonly verifiers: readonly Did[]
}

/** Returns the schemas of a registry, or one of them, with everyone who is listed in them. */
export async function listedSchemas(
  reader: Reader,
  { block }: AtBlock,
  registry: Hex32,
  schema?: Hex32,
): Promise<ListedSchema[]> {
  const count = (table: 'issuer' | 'delegation', did: 'did' | 'issuer') => sql`(
    select count(*) from ${sql.table(`ledger.${table}`)} c
    where c.registry_id = s.registry_id and ${sql.ref(`c.${did}`)} = l.did and ${validAt('c', block)})`
  const listed = (table: 'issuer' | 'verifier', what: RawBuilder<unknown>) => sql`coalesce((
    select json_agg(${what} order by l.did) from ${sql.table(`ledger.${table}`)} l
    where l.registry_id = s.registry_id and l.schema_id = s.schema_id and ${validAt('l', block)}), '[]')`
  const issuer = sql`json_build_object('did', l.did, 'schemas', ${count('issuer', 'did')}, 'delegates', ${count('delegation', 'issuer')})`
  const { rows } = await sql<ListedSchema>`
    select s.schema_id as schema, ${listed('issuer', issuer)} as issuers, ${listed('verifier', sql`l.did`)} as verifiers
    from ledger.registry_schema s
    where s.registry_id = ${registry} and ${validAt('s', block)} ${schema ? sql`and s.schema_id = ${schema}` : sql``}
    order by s.schema_id`.execute(reader)
  return rows
}

/**
 * Tells whether any registry lists a schema at a block, or at one after it: what a later block says, which may not be
 * final, does not free a schema, and may well hold it.
 */
export async function isListedSince(reader: Reader, hash: string, { block }: AtBlock): Promise<boolean> {
  const { rows } = await sql<{ used: boolean }>`
    select exists (select from ledger.registry_schema where schema_id = ${hash}
      and (to_block is null or to_block > ${block}::int)) as used`.execute(reader)
  return rows[0]?.used ?? false
}

/**
 * Returns the time since which the ledger knows a schema by this hash, at a block; undefined: no registry had ever
 * listed it.
 */
export async function knownOnLedgerSince(reader: Reader, hash: string, { block }: AtBlock): Promise<Date | undefined> {
  const { rows } = await sql<{ time: Date }>`
    select b.time from ledger.registry_schema s join ledger.block b on b.height = s.from_block
    where s.schema_id = ${hash} and s.from_block <= ${block}::int order by s.from_block limit 1`.execute(reader)
  return rows[0]?.time
}

/**
 * Selects the hashes of all schemas of the registries that DIDs convene or take part in now; `dids` is a query for
 * them. Reads the newest block, final or not: it chooses records of this service for a list of its caller's own, which
 * says nothing about the ledger.
 */
export async function schemasAround(reader: Reader, dids: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ schema_id: string }>`
    with own as materialized (${dids}),
    registries as materialized (
      select registry_id from ledger.trust_registry where convener = any(array(select did from own)) and to_block is null
      union select registry_id from ledger.issuer where did = any(array(select did from own)) and to_block is null
      union select registry_id from ledger.verifier where did = any(array(select did from own)) and to_block is null
    )
    select distinct schema_id from ledger.registry_schema
    where registry_id = any(array(select registry_id from registries)) and to_block is null`.execute(reader)
  return rows.map((row) => row.schema_id)
}
