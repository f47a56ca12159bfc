import type { Did, Hex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import { countedAt, partOf } from '../../ledger/read/participant-counts.js'
import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { Page } from '../../platform/http/pagination.js'
import { type Paged, paged, type ReadPoint } from '../read-point.js'
import { deactivatedAt, holdsAt } from '../registries/registry.queries.js'
import type { ListedSchema } from '../registries/removal.js'

/** A schema of a registry at one point. */
export interface RegistrySchemaRow {
  hash: Hex32
  /** Its URI where it is known here, otherwise its hash. */
  id: string
  name: string
  is_public: boolean
  participants: number
  /** The newest of them. */
  top: Did[]
}

/** One page of a registry's schemas, newest first, each with at most `top` of its participants. */
export const registrySchemasAt = (
  reader: Reader,
  point: ReadPoint,
  registry: Hex32,
  page: Page,
  top: number,
): Promise<Paged<RegistrySchemaRow>> => paged(page, (part) => schemaRows(reader, point, registry, part, top))

async function schemaRows(reader: Reader, point: ReadPoint, registry: Hex32, { offset, limit }: Page, top: number) {
  const { rows } = await sql<RegistrySchemaRow & { total: number }>`
    with page as materialized (
      select s.registry_id, s.schema_id, s.is_public, f.since, count(*) over () as total
      from ledger.registry_schema s
      cross join lateral (
        select max(o.from_block) as since from ledger.registry_schema o
        where o.registry_id = s.registry_id and o.schema_id = s.schema_id and o.from_block <= ${point.block}::int) f
      where s.registry_id = ${registry} and ${holdsAt('s', point)}
      order by f.since desc, s.schema_id limit ${limit} offset ${offset}
    )
    select p.schema_id as hash, coalesce(h.id, u.uri, p.schema_id) as id,
      coalesce(h.name, u.uri, p.schema_id) as name, p.is_public, p.total,
      ${countedAt('listed', sql.ref('p.registry_id'), sql.ref('p.schema_id'), point.block)} as participants,
      array(
        select l.did from ledger.listing l
        where l.registry_id = p.registry_id and l.part = p.schema_id and ${holdsAt('l', point)}
        order by l.since desc, l.did limit ${top}) as top
    from page p
    left join service.schemas h on h.hash = p.schema_id
    left join service.schema_uris u on u.hash = p.schema_id
    order by p.since desc, p.schema_id`.execute(reader)
  return rows
}

/** The listed verifiers of a schema, in the order of listing; with an issuer, only where that issuer is listed too. Deactivated DIDs are neither. */
export async function verifiersAt(
  reader: Reader,
  point: ReadPoint,
  registry: Hex32,
  schema: Hex32,
  issuer: Did | undefined,
): Promise<Did[]> {
  const issued = issuer
    ? sql`and exists (select 1 from ledger.issuer i where i.registry_id = ${registry}
        and i.schema_id = ${schema} and i.did = ${issuer} and ${holdsAt('i', point)}
        and not ${deactivatedAt('i', point)})`
    : sql``
  // A list for each block, the newest first, as the index has them: so thousands are neither sorted nor rows of their own.
  const { rows } = await sql<{ dids: Did[] }>`
    select json_agg(v.did order by v.did) as dids from ledger.listing v
    where v.registry_id = ${registry} and v.part = ${partOf({ role: 'verifier', schemaId: schema })} and v.from_block <= ${point.block}::int
      and (v.active_to is null or v.active_to > ${point.block}::int) ${issued}
    group by v.since order by v.since desc`.execute(reader)
  return rows.reverse().flatMap(({ dids }) => dids)
}

/** Whether anyone may verify a schema of a registry; undefined when it is not there. */
export async function openness(
  reader: Reader,
  point: ReadPoint,
  registry: Hex32,
  schema: Hex32,
): Promise<boolean | undefined> {
  const { rows } = await sql<{ is_public: boolean }>`
    select s.is_public from ledger.registry_schema s
    where s.registry_id = ${registry} and s.schema_id = ${schema} and ${holdsAt('s', point)}`.execute(reader)
  return rows[0]?.is_public
}

/** Schemas of a registry, or one of them, with everyone who is listed in them. */
export async function listedSchemas(
  reader: Reader,
  point: Pick<ReadPoint, 'block'>,
  registry: Hex32,
  schema?: Hex32,
): Promise<ListedSchema[]> {
  const count = (table: 'issuer' | 'delegation', did: 'did' | 'issuer') => sql`(
    select count(*) from ${sql.table(`ledger.${table}`)} c
    where c.registry_id = s.registry_id and ${sql.ref(`c.${did}`)} = l.did and ${holdsAt('c', point)})`
  const listed = (table: 'issuer' | 'verifier', what: RawBuilder<unknown>) => sql`coalesce((
    select json_agg(${what} order by l.did) from ${sql.table(`ledger.${table}`)} l
    where l.registry_id = s.registry_id and l.schema_id = s.schema_id and ${holdsAt('l', point)}), '[]')`
  const issuer = sql`json_build_object('did', l.did, 'schemas', ${count('issuer', 'did')}, 'delegates', ${count('delegation', 'issuer')})`
  const { rows } = await sql<ListedSchema>`
    select s.schema_id as schema, ${listed('issuer', issuer)} as issuers, ${listed('verifier', sql`l.did`)} as verifiers
    from ledger.registry_schema s
    where s.registry_id = ${registry} and ${holdsAt('s', point)} ${schema ? sql`and s.schema_id = ${schema}` : sql``}
    order by s.schema_id`.execute(reader)
  return rows
}

/** The team's DIDs that issue each schema in some registry, where they are not suspended: themselves, or for who delegated to them. */
export async function ownIssuersOf(
  reader: Reader,
  point: ReadPoint,
  schemas: readonly Hex32[],
  team: TeamId,
): Promise<Map<Hex32, Did[]>> {
  const suspended = (did: string) => sql`exists (select 1 from ledger.suspension x
    where x.registry_id = p.registry_id and x.did = ${sql.ref(did)} and ${holdsAt('x', point)} offset 0)`
  // Begins at the team's DIDs: how many others issue a schema costs nothing.
  const { rows } = await sql<{ schema: Hex32; dids: Did[] }>`
    with own as materialized (select did from service.dids where team_id = ${team} and status = 'active'),
    place as (
      select i.registry_id, i.schema_id, i.did as issuer, i.did from ledger.issuer i
      where i.did = any(array(select did from own)) and i.schema_id = any(${schemas}::text[]) and ${holdsAt('i', point)}
      union all
      select d.registry_id, i.schema_id, d.issuer, d.delegate from ledger.delegation d
        join ledger.issuer i on i.registry_id = d.registry_id and i.did = d.issuer and ${holdsAt('i', point)}
      where d.delegate = any(array(select did from own)) and i.schema_id = any(${schemas}::text[]) and ${holdsAt('d', point)}
    )
    select p.schema_id as schema, array_agg(distinct p.did) as dids from place p
    where not ${suspended('p.issuer')} and not ${suspended('p.did')}
    group by p.schema_id`.execute(reader)
  return new Map(rows.map(({ schema, dids }) => [schema, dids]))
}
