import type { Did, Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { Reader } from '../platform/database/database.js'
import type { TeamId } from '../platform/ids.js'
import type { Page } from '../platform/pagination.js'
import type { ReadPoint } from './read-point.js'
import { deactivatedAt, holdsAt } from './registry.queries.js'

/** What verifying costs; without a verifier it is asked of everybody, on the ledger. */
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
  /** Who asks: prices for one verifier are only for those whom they concern. */
  team: TeamId
  /** How many of each schema; else the page is of all. */
  ofEach?: number
}

const same = (column: string, value: string | undefined) =>
  value === undefined ? sql`` : sql`and ${sql.ref(column)} = ${value}`

/** Prices of schemas at a point, registry by registry, where issuer and verifier are listed and the issuer is not deactivated. */
export async function pricesAt(
  reader: Reader,
  point: ReadPoint,
  { schemas, registry, issuer, team, ofEach }: PriceQuery,
  { offset, limit }: Page,
): Promise<PriceRow[]> {
  const { rows } = await sql<PriceRow>`
    with issuers as (
      select i.registry_id, i.schema_id, i.did, i.prices from ledger.issuer i
      where i.schema_id = any(${schemas}::text[]) ${same('i.registry_id', registry)} ${same('i.did', issuer)}
        and ${holdsAt('i', point)} and not ${deactivatedAt('i', point)}
    ), newest as (
      select distinct on (p.registry_id, p.schema_id, p.issuer, p.verifier, p.currency) p.*
      from service.verifier_prices p
      where p.schema_id = any(${schemas}::text[]) ${same('p.registry_id', registry)} ${same('p.issuer', issuer)}
        and p.from_time <= ${point.instant}::timestamptz
      order by p.registry_id, p.schema_id, p.issuer, p.verifier, p.currency, p.from_time desc, p.row_id desc
    ), held as materialized (select h.did from service.held_among(${team}, array(
        select issuer from newest union select verifier from newest
        union select convener from ledger.trust_registry r where r.registry_id in (select registry_id from newest))) as h (did)
    ), prices as (
      select i.registry_id, i.schema_id, i.did as issuer, null as verifier, p.key as currency, p.value as digits
      from issuers i cross join lateral jsonb_each_text(i.prices) p
      union all
      select n.registry_id, n.schema_id, n.issuer, n.verifier, n.currency, n.digits::text
      from newest n
      join issuers i on i.registry_id = n.registry_id and i.schema_id = n.schema_id and i.did = n.issuer
      where n.digits is not null
        and exists (select from ledger.verifier v where v.registry_id = n.registry_id and v.schema_id = n.schema_id
          and v.did = n.verifier and ${holdsAt('v', point)})
        and (n.issuer in (select did from held) or n.verifier in (select did from held) or exists (
          select from ledger.trust_registry r where r.registry_id = n.registry_id and r.to_block is null
            and r.convener in (select did from held)))
    ), numbered as (
      select *, row_number() over (partition by schema_id order by registry_id, issuer, currency, verifier nulls first) as n
      from prices
    )
    select registry_id, schema_id, issuer, verifier, currency, digits from numbered
    ${ofEach === undefined ? sql`` : sql`where n <= ${ofEach}`}
    order by schema_id, n limit ${limit} offset ${offset}`.execute(reader)
  return rows
}

/** An issuer of a schema, as of now. */
export interface IssuerOfSchema {
  did: Did
  prices: Record<string, string>
}

/** The issuers of a schema that are the team's, or the one that is named, whosever it is. */
export async function pricedIssuers(
  reader: Reader,
  point: ReadPoint,
  place: { registry: Hex32; schema: Hex32 },
  whose: { team: TeamId; did?: Did | undefined },
): Promise<(IssuerOfSchema & { isOwn: boolean })[]> {
  const { rows } = await sql<IssuerOfSchema & { isOwn: boolean }>`
    with issuers as materialized (
      select i.did, i.prices from ledger.issuer i
      where i.registry_id = ${place.registry} and i.schema_id = ${place.schema} and ${holdsAt('i', point)} ${same('i.did', whose.did)}
    ), held as materialized (select h.did from service.held_among(${whose.team}, array(select did from issuers)) as h (did))
    select i.did, i.prices, i.did in (select did from held) as "isOwn" from issuers i
    ${whose.did === undefined ? sql`where i.did in (select did from held)` : sql``}
    order by i.did limit 2`.execute(reader)
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
