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
  /** How many of each schema in each registry; else the page is all there is. */
  ofEach?: number
}

const same = (column: string, value: string | undefined) =>
  value === undefined ? sql`` : sql`and ${sql.ref(column)} = ${value}`

/** What issuers of the place `p` ask of everybody. An issuer has one price at least, so that `most` issuers are enough. */
const askedOfAll = (point: ReadPoint, issuer: Did | undefined, most: number) => sql`
  select i.did as issuer, null as verifier, e.key as currency, e.value as digits
  from (
    select i.did, i.prices from ledger.issuer i
    where i.registry_id = p.registry_id and i.schema_id = p.schema_id ${same('i.did', issuer)} and i.prices <> '{}'
      and ${holdsAt('i', point)} and not ${deactivatedAt('i', point)}
    order by i.did limit ${most}) i
  cross join lateral jsonb_each_text(i.prices) e`

/** What they ask of one verifier, where both are listed, and it concerns who asks. */
const askedOfOne = (point: ReadPoint, issuer: Did | undefined, most: number) => sql`
  select n.issuer, n.verifier, n.currency, n.digits::text
  from (
    select distinct on (d.issuer, d.verifier, d.currency) d.issuer, d.verifier, d.currency, d.digits
    from service.verifier_prices d
    where d.registry_id = p.registry_id and d.schema_id = p.schema_id ${same('d.issuer', issuer)}
      and d.from_time <= ${point.instant}::timestamptz
    order by d.issuer, d.verifier, d.currency, d.from_time desc, d.row_id desc) n
  where n.digits is not null and (p.registry_id in (select registry_id from owned)
      or n.issuer in (select did from held) or n.verifier in (select did from held))
    and exists (select from ledger.issuer i where i.registry_id = p.registry_id and i.schema_id = p.schema_id
      and i.did = n.issuer and ${holdsAt('i', point)} and not ${deactivatedAt('i', point)})
    and exists (select from ledger.verifier v where v.registry_id = p.registry_id and v.schema_id = p.schema_id
      and v.did = n.verifier and ${holdsAt('v', point)})
  order by n.issuer, n.verifier, n.currency limit ${most}`

/**
 * Prices of schemas at a point, registry by registry and issuer by issuer, where the issuer is listed and not deactivated.
 * No more than the page needs is looked at in any registry: one of ten thousand issuers costs as much as a small one.
 */
export async function pricesAt(
  reader: Reader,
  point: ReadPoint,
  { schemas, registry, issuer, team, ofEach }: PriceQuery,
  { offset, limit }: Page,
): Promise<PriceRow[]> {
  const most = ofEach ?? offset + limit
  const { rows } = await sql<PriceRow>`
    with places as materialized (
      select s.registry_id, s.schema_id from ledger.registry_schema s
      where s.schema_id = any(${schemas}::text[]) ${same('s.registry_id', registry)} and ${holdsAt('s', point)}
    ), dealt as materialized (
      select distinct d.registry_id, d.issuer, d.verifier
      from places p join service.verifier_prices d on d.registry_id = p.registry_id and d.schema_id = p.schema_id
    ), conveners as materialized (
      select r.registry_id, r.convener from ledger.trust_registry r
      where r.to_block is null and r.registry_id in (select registry_id from dealt)
    ), held as materialized (
      select h.did from service.held_among(${team}, array(
        select issuer from dealt union select verifier from dealt union select convener from conveners)) as h (did)
    ), owned as materialized (
      select c.registry_id from conveners c where c.convener in (select did from held))
    select p.registry_id, p.schema_id, x.issuer, x.verifier, x.currency, x.digits
    from places p cross join lateral (
      select * from (
        (${askedOfAll(point, issuer, most)}) union all (${askedOfOne(point, issuer, most)})) a
      order by a.issuer, a.verifier nulls first, a.currency limit ${most}) x
    order by p.schema_id, p.registry_id, x.issuer, x.verifier nulls first, x.currency
    limit ${limit} offset ${offset}`.execute(reader)
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
