import type { Hex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../../platform/database/database.js'
import type { Page } from '../../../platform/http/pagination.js'
import { presentBlock, presentHeight } from '../blocks.js'
import type { IndexDb } from '../index-db.js'
import { countedAt, partOf } from '../participants/participant-counts.js'
import { type AtBlock, validAt } from '../temporal.js'

/** A condition on registries `r`. */
export type RegistryFilter = RawBuilder<boolean>

export const among = (ids: readonly string[]): RegistryFilter => sql<boolean>`r.registry_id = any(${ids}::text[])`

/**
 * Rows `(registry_id, convener, name, gov_framework, version ..., begun)`: one page of registries at a block, in the
 * order in which the ledger got them, newest first. Without a filter no more than the page is read.
 */
export const registryPage = (filter: RegistryFilter, { block }: AtBlock, { offset, limit }: Page) => sql`
  select r.*, f.from_block as begun
  from ledger.trust_registry f
  join ledger.trust_registry r on r.registry_id = f.registry_id and ${validAt('r', block)}
  where f.from_block <= ${block} and ${filter} and not exists (
    select from ledger.trust_registry o where o.registry_id = f.registry_id and o.from_block < f.from_block offset 0)
  order by f.from_block desc, f.registry_id limit ${limit} offset ${offset}`

/** Tells in SQL whether the ledger had a registry at a block or before it. */
export const hadRegistry = (registry: RawBuilder<unknown>, { block }: AtBlock): RawBuilder<boolean> =>
  sql<boolean>`exists (
    select 1 from ledger.trust_registry l where l.registry_id = ${registry} and l.from_block <= ${block}::int)`

/** Answers the same by a statement to the index. */
export async function registryExisted(
  { db }: Pick<IndexDb, 'db'>,
  registry: string,
  { block }: AtBlock,
): Promise<boolean> {
  const row = await db
    .selectFrom('trust_registry')
    .select('id')
    .where('registry_id', '=', registry)
    .where('from_block', '<=', block)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Returns the versions of registries at the present block, which callers have seen at most; those that do not exist are
 * left out.
 */
export async function versionsOf({ db }: Pick<IndexDb, 'db'>, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('trust_registry')
    .select(['registry_id', 'version'])
    .where('registry_id', 'in', [...ids])
    .where(validAt('trust_registry', presentHeight))
    .execute()
  return new Map(rows.map((row) => [row.registry_id, row.version]))
}

/**
 * Tells whether the ledger once had a registry and no longer has it at a block; by default at the present one, where a
 * removal is final.
 */
export async function wasRemoved(
  reader: Reader,
  id: string,
  { block }: { block: number | RawBuilder<number> } = { block: presentHeight },
): Promise<boolean> {
  const { rows } = await sql<{ removed: boolean }>`
    select coalesce(bool_and(to_block is not null and to_block <= ${block}), false) as removed
    from ledger.trust_registry where registry_id = ${id} and from_block <= ${block}`.execute(reader)
  return rows[0]?.removed ?? false
}

/** The times at which the ledger got a registry and lost it for good, as the present block tells them. */
export interface Life {
  created: Date
  removed: Date | null
}

/** @param id the registry's id, or an expression for it in the same statement: the reference of a slug */
export async function lifeOf(reader: Reader, id: RawBuilder<unknown>): Promise<Life | undefined> {
  const { rows } = await sql<Life>`
    select f.time as created, t.time as removed
    from (select min(r.from_block) as first,
        case when bool_and(r.to_block is not null and r.to_block <= p.height) then max(r.to_block) end as last
      from ledger.trust_registry r cross join (${presentBlock}) p
      where r.registry_id = ${id} and r.from_block <= p.height) life
    join ledger.block f on f.height = life.first left join ledger.block t on t.height = life.last`.execute(reader)
  return rows[0]
}

/** Returns facts about a registry as a whole. */
export interface Summary {
  unmaintained: boolean
  issuer_count: number
  verifier_count: number
}

export const EMPTY: Summary = { unmaintained: false, issuer_count: 0, verifier_count: 0 }

/** Returns summaries of some registries at a block. */
export async function summariesOf(
  reader: Reader,
  { block }: AtBlock,
  ids: readonly Hex32[],
): Promise<(id: Hex32) => Summary> {
  if (ids.length === 0) return () => EMPTY
  const count = (role: 'issuer' | 'verifier') =>
    countedAt('active', sql.ref('r.registry_id'), sql`${partOf({ role })}`, block)
  const { rows } = await sql<Summary & { id: Hex32 }>`
    select r.registry_id as id, ${count('issuer')} as issuer_count, ${count('verifier')} as verifier_count,
      (r.convener like 'did:svc:%' and not exists (
        select 1 from ledger.did d where d.did = r.convener and ${validAt('d', block)})) as unmaintained
    from ledger.trust_registry r where ${among(ids)} and ${validAt('r', block)}`.execute(reader)
  const summaries = new Map(rows.map((row) => [row.id, row]))
  return (id) => summaries.get(id) ?? EMPTY
}

export const summaryOf = async (reader: Reader, point: AtBlock, id: Hex32): Promise<Summary> =>
  (await summariesOf(reader, point, [id]))(id)
