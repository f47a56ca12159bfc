import type { Did, Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import { askedOfAll, issuersWithPrices } from '../../ledger/read/participants/prices.js'
import { issuesThere, type SchemaPlace, verifiesThere } from '../../ledger/read/participants/rights.js'
import { placesOf } from '../../ledger/read/registries/registry-schemas.js'
import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { Page } from '../../platform/http/pagination.js'
import type { ReadPoint } from '../read-point.js'
import { didsOf } from '../registries/registry.queries.js'

/** The price of a verification; without a verifier it is asked of everybody, on the ledger. */
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
  /** The most prices of each schema in each registry; undefined: the page is the only limit. */
  ofEach?: number
}

/** Selects prices for single verifiers, where both sides are listed: only those that concern the asking team. */
const askedOfOne = (point: ReadPoint, { schemas, registry, issuer, team }: PriceQuery) => sql`
  select p.registry_id, p.schema_id, d.issuer, d.verifier, d.currency, d.digits::text
  from service.deals_for(${team}, ${schemas}::text[], ${registry ?? null}::text, ${issuer ?? null}::text,
    ${point.instant}::timestamptz) d
  join places p on p.registry_id = d.registry_id and p.schema_id = d.schema_id
  where ${issuesThere('d.issuer', point)} and ${verifiesThere('d.verifier', point)}`

/**
 * Returns prices of schemas at a point, registry by registry and issuer by issuer, where the issuer is listed and not
 * deactivated. It reads no more of any registry than the page needs: one of ten thousand issuers costs as much as a
 * small one.
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
    with places as materialized (${placesOf(schemas, registry, point)}),
    asked as (
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

/** A DID that issues a schema, or that a pending action names there. */
export interface IssuerOfSchema {
  did: Did
  /** The prices that it asks of everybody now; null: it is not listed. */
  prices: Record<string, string> | null
  isOwn: boolean
}

/**
 * Returns, of the DIDs that issue a schema or are among `changing`, those of the team, or the one that is named, of any
 * team. The limit is such that two are left when all of `changing` leave.
 */
export async function pricedIssuers(
  reader: Reader,
  point: ReadPoint,
  place: SchemaPlace,
  whose: { team: TeamId; did?: Did | undefined; changing: readonly string[] },
): Promise<IssuerOfSchema[]> {
  const { team, did, changing } = whose
  // The statement begins at the team's DIDs: the number of other issuers costs nothing.
  const candidates = did ? sql`select ${did}::text as did` : didsOf(team)
  const isOwn = sql`exists (select service.held_among(${team}, array[c.did]))`
  const { rows } = await sql<IssuerOfSchema>`
    with candidates as materialized (${candidates})
    select c.did, i.prices, ${isOwn} as "isOwn" from candidates c
    left join (${issuersWithPrices(place, point)}) i on i.did = c.did
    where (i.did is not null or c.did = any(${changing}::text[])) ${did ? sql`` : sql`and ${isOwn}`}
    limit ${2 + changing.length}`.execute(reader)
  return rows
}
