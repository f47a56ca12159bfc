import type { Did, Hex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import { blocks } from '../../ledger/read/blocks.js'
import { deactivationOf } from '../../ledger/read/dids/existence.js'
import { countedAt, partOf } from '../../ledger/read/participants/participant-counts.js'
import { didOfPlace, isListedIn, listed } from '../../ledger/read/participants/participant-entries.js'
import { rightsOf } from '../../ledger/read/participants/rights.js'
import { suspenderOf, suspensionOf } from '../../ledger/read/participants/suspensions.js'
import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { Page } from '../../platform/http/pagination.js'
import { holdsWords } from '../../platform/http/search.js'
import { FIRST_ONLY, type Paged, paged, type ReadPoint } from '../read-point.js'
import { acceptedAt, namedAt, shownAs } from './display-name.js'
import { reasonAt } from './suspension-reason.store.js'

/** One DID in one registry at a point: the ledger's facts and, when it accepted here, the service's. */
export interface ParticipantRow {
  id: string
  registry_id: Hex32
  did: Did
  created: Date
  /** Null: listed on the ledger only. */
  team_id: TeamId | null
  info_url: string | null
  suspended_since: Date | null
  name: string | null
  description: string | null
  logo_url: string | null
  suspended_at: Date | null
  /** The DID that suspended it on the ledger. */
  suspended_by: Did | null
  /** The reason that the convener gave here. */
  reason: string | null
  /** Time of the block that deactivated the DID. */
  deactivated_at: Date | null
  /** The schemas as the ledger knows them, oldest right first. */
  issuer_ids: Hex32[]
  verifier_ids: Hex32[]
  /** The same schemas as URIs where those are known here. */
  issuer_schemas: string[]
  verifier_schemas: string[]
  /**
   * The prices that it asks of every verifier, on the ledger, by schema as named above. A deactivated DID has none: it
   * issues no more.
   */
  prices: { schema: string; prices: Record<string, string> }[]
}

/** A selection of rows: conditions over the columns registry_id and did of `x`. */
export type ParticipantScope = RawBuilder<boolean>

export const inRegistry = (id: Hex32): ParticipantScope => sql<boolean>`x.registry_id = ${id}`
export const ofDid = (did: Did): ParticipantScope => sql<boolean>`x.did = ${did}`
export const ofDids = (id: Hex32, dids: readonly string[]): ParticipantScope =>
  sql<boolean>`(x.registry_id = ${id} and x.did = any(${dids}::text[]))`

/** Finds a participant by its id, among those that accepted and those that are on the ledger only, each by index. */
const withId = (
  registry: Hex32,
  id: string,
): ParticipantScope => sql<boolean>`(x.registry_id = ${registry} and x.did = coalesce(
  (select a.did from service.participants a where a.registry_id = ${registry} and a.id = ${id}::uuid limit 1),
  ${didOfPlace(
    registry,
    sql`substr(uuid_send(${id}::uuid), 1, 6)`,
    sql<boolean>`service.participant_id(l.registry_id, l.did) = ${id}::uuid`,
  )}))`

const pricesOfIssuer = sql`,
    coalesce(jsonb_agg(jsonb_build_object('schema', coalesce(h.id, u.uri, l.schema_id), 'prices', l.prices)
      order by l.from_block, l.schema_id) filter (where l.prices <> '{}'), '[]') as prices`

/**
 * The names of schemas are the service's: they are joined to the ledger's rows in the statement that pages over both.
 */
const schemasOf = (role: 'issuer' | 'verifier', point: ReadPoint) => sql`
  select coalesce(array_agg(l.schema_id order by l.from_block, l.schema_id), '{}') as ids,
    coalesce(array_agg(coalesce(h.id, u.uri, l.schema_id) order by l.from_block, l.schema_id), '{}') as names
    ${role === 'issuer' ? pricesOfIssuer : sql``}
  from (${rightsOf(role, sql.ref('m.registry_id'), sql.ref('m.did'), point)}) l
  left join service.schemas h on h.hash = l.schema_id
  left join service.schema_uris u on u.hash = l.schema_id`

const notAccepted = sql<boolean>`(x.registry_id, x.did) not in (select a.registry_id, a.did from accepted a)`

/** Selects participants: DIDs that accepted an invitation here, or are listed on the ledger, or both. Newest first. */
export const participantsAt = (
  reader: Reader,
  point: ReadPoint,
  scope: ParticipantScope,
  page: Page,
): Promise<Paged<ParticipantRow>> =>
  paged(page, (part) => participantRows(reader, point, { scope, total: counted(point, scope) }, part))

export interface Wanted {
  schema?: Hex32 | undefined
  did?: Did | undefined
  /** A part of the name that is shown at the point, or of the DID. */
  words?: string | undefined
}

/** Returns all participants of a registry, or a selection of them. */
export const participantsOf = (
  reader: Reader,
  point: ReadPoint,
  registry: Hex32,
  page: Page,
  { schema, did, words }: Wanted = {},
): Promise<Paged<ParticipantRow>> => {
  const conditions = [
    inRegistry(registry),
    ...(did === undefined ? [] : [ofDid(did)]),
    ...(words === undefined ? [] : [known(point, registry, words)]),
  ]
  const scope = sql<boolean>`(${sql.join(conditions, sql` and `)})`
  const total = conditions.length > 1 ? counted(point, scope, schema) : participantCount(point, registry, schema)
  return paged(page, (part) => participantRows(reader, point, { scope, schema, total }, part))
}

/** Returns the participants that words find. */
const known = (point: ReadPoint, registry: Hex32, words: string): ParticipantScope => sql<boolean>`(
  strpos(x.did, ${words}) > 0
  or x.did in (select n.did from (${namedAt(point, registry)}) n where ${holdsWords(sql.ref('n.searched'), words)}))`

/** One by one: for few. */
const counted = (point: ReadPoint, scope: ParticipantScope, schema?: Hex32 | undefined) => sql<number>`(
  (select count(*) ${listed(point, scope, schema)} and ${notAccepted}) + (select accepted from merged))`

/** Counts in SQL the participants of a registry, or of a schema, where everybody is listed. */
export const participantCount = (point: ReadPoint, registry: Hex32, schema?: Hex32 | undefined) => {
  const onLedger = countedAt('listed', sql`${registry}`, sql`${partOf({ schemaId: schema })}`, point.block)
  if (schema) return onLedger
  return sql<number>`(${onLedger} + (
    select count(*) from (${acceptedAt(point, inRegistry(registry))}) a
    where not exists (select ${listed(point, inRegistry(registry))} and x.did = a.did)))`
}

interface Whose {
  scope: ParticipantScope
  schema?: Hex32 | undefined
  /** Returns the number of participants. */
  total: RawBuilder<number>
}

async function participantRows(
  reader: Reader,
  point: ReadPoint,
  { scope, schema, total }: Whose,
  { offset, limit }: Page,
) {
  const shown = shownAs('m', point)
  const place = { registry: sql.ref('m.registry_id'), did: sql.ref('m.did') }
  const { rows } = await sql<ParticipantRow & { total: number }>`
    with accepted as materialized (
      ${acceptedAt(point, scope)} ${
        schema ? sql`and ${isListedIn(sql.ref('x.registry_id'), sql.ref('x.did'), schema, point)}` : sql``
      }
    ), merged as materialized (
      -- Of those who are only listed, whom a page may show: those who accepted come anywhere between them.
      select greatest(${offset}::int - count(*)::int, 0) as skipped, ${limit}::int + count(*)::int as most, count(*)::int as accepted
      from accepted
    ), newest as materialized (
      select x.registry_id, x.did, x.since ${listed(point, scope, schema)} and ${notAccepted}
      order by x.since desc, x.registry_id, x.did
      offset (select skipped from merged) limit (select most from merged)
    ), m as materialized (
      select * from (
        select n.registry_id, n.did, b.time as created, n.since, null::bigint as team_id, null as info_url,
          null::timestamptz as suspended_since, null as name, null as description, null as logo_url
        from newest n join (${blocks}) b on b.height = n.since
        union all
        select a.registry_id, a.did, a.created, null, a.team_id, a.info_url, a.suspended_since, a.name, a.description, a.logo_url
        from accepted a) r
      order by r.created desc, r.since desc, r.registry_id, r.did
      limit ${limit} offset ${offset}::int - (select skipped from merged)
    )
    select service.participant_id(m.registry_id, m.did) as id, m.registry_id, m.did, m.created, m.team_id, m.info_url,
      m.suspended_since, t.total, ${shown.name} as name, ${shown.description} as description,
      ${shown.logoUrl} as logo_url, s.time as suspended_at, w.actor as suspended_by, y.reason,
      e.time as deactivated_at,
      i.ids as issuer_ids, i.names as issuer_schemas, v.ids as verifier_ids, v.names as verifier_schemas,
      case when e.time is null then i.prices else '[]' end as prices
    from m
    cross join (select ${total}::int as total) t
    left join lateral (${schemasOf('issuer', point)}) i on true
    left join lateral (${schemasOf('verifier', point)}) v on true
    left join lateral (${suspensionOf(place, point)}) s on true
    left join lateral (${suspenderOf(place, sql.ref('s.height'))}) w on true
    left join lateral (${reasonAt('m', point)}) y on s.height is not null or m.suspended_since is not null
    left join lateral (${deactivationOf(place.did, point)}) e on true
    ${shown.joins}
    order by m.created desc, m.since desc, m.registry_id, m.did`.execute(reader)
  return rows
}

/** Returns one participant by its id. */
export async function participantById(
  reader: Reader,
  point: ReadPoint,
  registry: Hex32,
  id: string,
): Promise<ParticipantRow | undefined> {
  return (await participantsAt(reader, point, withId(registry, id), FIRST_ONLY)).list[0]
}

/** Returns one participant by its DID. */
export async function participantByDid(
  reader: Reader,
  point: ReadPoint,
  registry: Hex32,
  did: Did,
): Promise<ParticipantRow | undefined> {
  return (await participantsAt(reader, point, ofDids(registry, [did]), FIRST_ONLY)).list[0]
}
