import type { Did, Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { Page } from '../../platform/http/pagination.js'
import type { ReadPoint } from '../read-point.js'
import { deactivatedAt, didsOf, holdsAt } from '../registries/registry.queries.js'

/** The cost of verifying; without a verifier it is asked of everybody, on the ledger. */
export interface PriceRow {
  registry_id: Hex32
  schema_id: Hex32
  issuer: Did
  verifier: Did | null
  currency: string
  digits: string
}

export interface PriceQuery {
  schemas: readonly Hex32[]
  registry?: Hex32 | undefined
  issuer?: Did | undefined
  /** The team that asks: prices for one verifier are shown only to those whom they concern. */
  team: TeamId
  /** How many of each schema in each registry; else the page is all there is. */
  ofEach?: number
}

const same = (column: string, value: string | undefined) =>
  value === undefined ? sql`` : sql`and ${sql.ref(column)} = ${value}`

/** The prices that issuers of the place `p` ask of everybody. An issuer has one price at least, so that `most` issuers are enough. */
const askedOfAll = (point: ReadPoint, issuer: Did | undefined, most: number) => sql`
  select i.did as issuer, null::text as verifier, e.key as currency, e.value as digits
  from (
    select i.did, i.prices from ledger.issuer i
    where i.registry_id = p.registry_id and i.schema_id = p.schema_id ${same('i.did', issuer)} and i.prices <> '{}'
      and ${holdsAt('i', point)} and not ${deactivatedAt('i', point)}
    order by i.did limit ${most}) i
  cross join lateral jsonb_each_text(i.prices) e`

/** The prices that they ask of single verifiers, where both are listed. Only those that concern the asking team. */
const askedOfOne = (point: ReadPoint, { schemas, registry, issuer, team }: PriceQuery) => sql`
  select p.registry_id, p.schema_id, d.issuer, d.verifier, d.currency, d.digits::text
  from service.deals_for(${team}, ${schemas}::text[], ${registry ?? null}::text, ${issuer ?? null}::text,
    ${point.instant}::timestamptz) d
  join places p on p.registry_id = d.registry_id and p.schema_id = d.schema_id
  where exists (select from ledger.issuer i where i.registry_id = p.registry_id and i.schema_id = p.schema_id
      and i.did = d.issuer and ${holdsAt('i', point)} and not ${deactivatedAt('i', point)})
    and exists (select from ledger.verifier v where v.registry_id = p.registry_id and v.schema_id = p.schema_id
      and v.did = d.verifier and ${holdsAt('v', point)})`

/**
 * Prices of schemas at a point, registry by registry and issuer by issuer, where the issuer is listed and not deactivated.
 * No more than the page needs is looked at in any registry: one of ten thousand issuers costs as much as a small one.
 */
export async function pricesAt(
  reader: Reader,
  point: ReadPoint,
  query: PriceQuery,
  { offset, limit }: Page,
): Promise<PriceRow[]> {
  const { schemas, registry, issuer } = query
  const most = query.ofEach ?? offset + limit
  const { rows } = await sql<PriceRow>`
    with places as materialized (
      select s.registry_id, s.schema_id from ledger.registry_schema s
      where s.schema_id = any(${schemas}::text[]) ${same('s.registry_id', registry)} and ${holdsAt('s', point)}
    ), asked as (
      select p.registry_id, p.schema_id, x.* from places p cross join lateral (${askedOfAll(point, issuer, most)}) x
      union all ${askedOfOne(point, query)}
    ), numbered as (
      select a.*, row_number() over (
        partition by a.schema_id, a.registry_id order by a.issuer, a.verifier nulls first, a.currency) as n
      from asked a)
    select x.registry_id, x.schema_id, x.issuer, x.verifier, x.currency, x.digits from numbered x
    where x.n <= ${most}
    order by x.schema_id, x.registry_id, x.issuer, x.verifier nulls first, x.currency
    limit ${limit} offset ${offset}`.execute(reader)
  return rows
}

/** A DID that issues a schema, or that something on its way to the ledger names there. */
export interface IssuerOfSchema {
  did: Did
  /** The prices that it asks of everybody as of now; null: it is not listed. */
  prices: Record<string, string> | null
  isOwn: boolean
}

/**
 * Of the DIDs that issue a schema or are among `changing`: the team's, or the one that is named, whosever it is. So many
 * that two are left when all of `changing` leave.
 */
export async function pricedIssuers(
  reader: Reader,
  point: ReadPoint,
  place: { registry: Hex32; schema: Hex32 },
  whose: { team: TeamId; did?: Did | undefined; changing: readonly string[] },
): Promise<IssuerOfSchema[]> {
  const { team, did, changing } = whose
  // Begins at the team's DIDs: how many others issue the schema costs nothing.
  const candidates = did ? sql`select ${did}::text as did` : didsOf(team)
  const isOwn = sql`exists (select service.held_among(${team}, array[c.did]))`
  const { rows } = await sql<IssuerOfSchema>`
    with candidates as materialized (${candidates})
    select c.did, i.prices, ${isOwn} as "isOwn" from candidates c
    left join ledger.issuer i on i.registry_id = ${place.registry} and i.schema_id = ${place.schema} and i.did = c.did
      and ${holdsAt('i', point)}
    where (i.did is not null or c.did = any(${changing}::text[])) ${did ? sql`` : sql`and ${isOwn}`}
    limit ${2 + changing.length}`.execute(reader)
  return rows
}

/** Whether any issuer of a schema has a price there. */
export async function isPriced(reader: Reader, point: ReadPoint, registry: Hex32, schema: Hex32): Promise<boolean> {
  const { rows } = await sql`
    select from ledger.issuer i where i.registry_id = ${registry} and i.schema_id = ${schema}
      and i.prices <> '{}' and ${holdsAt('i', point)} limit 1`.execute(reader)
  return rows.length > 0
}

/** Whether a DID is named as a verifier of a schema. */
export async function isVerifier(
  reader: Reader,
  point: ReadPoint,
  { registry, schema }: { registry: Hex32; schema: Hex32 },
  did: Did,
): Promise<boolean> {
  const { rows } = await sql`
    select from ledger.verifier v where v.registry_id = ${registry} and v.schema_id = ${schema} and v.did = ${did}
      and ${holdsAt('v', point)}`.execute(reader)
  return rows.length > 0
}
