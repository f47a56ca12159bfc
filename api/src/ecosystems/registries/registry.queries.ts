import type { Did, Hex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import { countedAt, partOf } from '../../ledger/read/participant-counts.js'
import { isEmptyFilter, registryMatches } from '../../ledger/read/query-filter.js'
import { validAt } from '../../ledger/read/temporal.js'
import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { Page } from '../../platform/http/pagination.js'
import { FIRST_ONLY, type ReadPoint } from '../read-point.js'
import type { RegistryRef } from './slug.js'
import { idOfSlug } from './slug.queries.js'

/** A registry on the ledger at one point, with what the service shows beside it. Null: the service knows nothing of it. */
export interface RegistryRow {
  id: Hex32
  convener: Did
  name: string
  gov_framework: string
  version: number
  created: Date
  slug: string | null
  description: string | null
  logo_url: string | null
  ecosystem_url: string | null
  governance_framework: string | null
  governance_framework_version: string | null
  convener_name: string | null
  convener_logo_url: string | null
}

export type RegistryFilter = RawBuilder<boolean>

/** Whether a temporal row of schema `ledger` holds at a point. */
export const holdsAt = (alias: string, { block }: Pick<ReadPoint, 'block'>): RawBuilder<boolean> =>
  validAt(alias, block)

/** Whether the DID of a row was deactivated at a block: its rights stay listed, and none of them can be used. */
export const deactivatedAt = (alias: string, { block }: ReadPoint): RawBuilder<boolean> => sql<boolean>`exists (
  select 1 from ledger.did gone where gone.did = ${sql.ref(`${alias}.did`)} and gone.to_block <= ${block}::int)`

const everyRegistry: RegistryFilter = sql<boolean>`true`

const ofRef = (ref: RegistryRef, point: ReadPoint): RegistryFilter =>
  'id' in ref ? sql<boolean>`r.registry_id = ${ref.id}` : sql<boolean>`r.registry_id = ${idOfSlug(ref.slug, point)}`

/** The DIDs that a team has, or had, anything of; whether it still holds one is asked only where it matters. */
export const didsOf = (team: TeamId) => sql`(
  select did from service.dids where team_id = ${team} union select did from service.did_proofs where team_id = ${team})`

/** Registries whose present convener is a DID of the team, wherever its keys are. */
export const ownedBy = (team: TeamId): RegistryFilter => sql<boolean>`r.registry_id in (
  select n.registry_id from ledger.trust_registry n
  where n.convener = any(array(select service.held_among(${team}, array(
      select mine.did from ${didsOf(team)} mine
      where exists (select from ledger.trust_registry c where c.convener = mine.did offset 0)))))
    and not exists (select from ledger.trust_registry o where o.registry_id = n.registry_id and o.from_block > n.from_block))`

const presentConvener = sql<string>`(
  select n.convener from ledger.trust_registry n where n.registry_id = r.registry_id order by n.from_block desc limit 1)`

/** Whether a DID is the present convener of a registry on the ledger. */
export async function convenes(reader: Reader, did: Did, registry: Hex32): Promise<boolean> {
  const { rows } = await sql`
    select from ledger.trust_registry where registry_id = ${registry} and convener = ${did} and to_block is null`.execute(
    reader,
  )
  return rows.length > 0
}

export interface RegistryQuery {
  issuer?: Did | undefined
  verifier?: Did | undefined
  schema?: Hex32 | undefined
}

/** Filters combine by intersection and need not meet on one schema (ledger.md section 6). None: every registry. */
export function matching({ issuer, verifier, schema }: RegistryQuery, { block }: ReadPoint): RegistryFilter {
  const filter = {
    ...(issuer && { issuers: [issuer] }),
    ...(verifier && { verifiers: [verifier] }),
    ...(schema && { schemaIds: [schema] }),
  }
  return isEmptyFilter(filter) ? everyRegistry : registryMatches(filter, block)
}

export const among = (ids: readonly string[]): RegistryFilter => sql<boolean>`r.registry_id = any(${ids}::text[])`

/** One page of registries at a point, in the order in which the ledger got them, newest first: without a filter, no more than the page is read. */
export async function registriesAt(
  reader: Reader,
  point: ReadPoint,
  filter: RegistryFilter,
  { offset, limit }: Page,
): Promise<RegistryRow[]> {
  const { rows } = await sql<RegistryRow>`
    with page as materialized (
      select r.*, f.from_block as begun
      from ledger.trust_registry f
      join ledger.trust_registry r on r.registry_id = f.registry_id and ${holdsAt('r', point)}
      where f.from_block <= ${point.block} and ${filter} and not exists (
        select from ledger.trust_registry o where o.registry_id = f.registry_id and o.from_block < f.from_block offset 0)
      order by f.from_block desc, f.registry_id limit ${limit} offset ${offset}
    )
    select p.registry_id as id, p.convener, p.name, p.gov_framework, p.version, coalesce(s.created, b.time) as created,
      v.slug, v.description, v.logo_url, v.ecosystem_url,
      g.governance_framework, g.governance_framework_version,
      c.name as convener_name, c.logo_url as convener_logo_url
    from page p
    join ledger.block b on b.height = p.begun
    left join service.trust_registries s on s.registry_id = p.registry_id
    left join lateral (
      select * from service.trust_registry_versions v
      where v.registry_id = p.registry_id and v.state = 'active' and v.from_time <= ${point.instant}::timestamptz
      order by v.version desc limit 1) v on true
    left join lateral (
      select g.governance_framework, g.governance_framework_version from service.trust_registry_versions g
      where g.registry_id = p.registry_id and g.governance_reference = p.gov_framework
      order by g.version desc limit 1) g on true
    left join lateral service.profiles_at(array[p.convener], ${point.instant}::timestamptz) c on true
    order by p.begun desc, p.registry_id`.execute(reader)
  return rows
}

export async function registryAt(reader: Reader, point: ReadPoint, ref: RegistryRef): Promise<RegistryRow | undefined> {
  return (await registriesAt(reader, point, ofRef(ref, point), FIRST_ONLY))[0]
}

/** The standing of a team in a registry now. */
export interface Standing {
  is_owner: boolean
  is_participant: boolean
}

/**
 * Whether the ledger lists a DID of the team in a registry: they are looked up one by one (`offset 0`), however many others it
 * lists. Whether the team still holds a DID is asked of those alone that are listed.
 */
const listedOnLedger = (team: TeamId): RawBuilder<boolean> =>
  sql<boolean>`exists (select service.held_among(${team}, array(
    select mine.did from ${didsOf(team)} mine
    where exists (select from ledger.listing l
      where l.did = mine.did and l.registry_id = r.registry_id and l.part = 'any' and l.to_block is null offset 0))))`

export async function standingIn(reader: Reader, id: Hex32, team: TeamId): Promise<Standing> {
  const { rows } = await sql<Standing>`
    select exists (select service.held_among(${team}, array[${presentConvener}])) as is_owner,
      exists (select 1 from service.participants p where p.registry_id = r.registry_id and p.team_id = ${team}
        and p.state = 'active' and p.to_time is null) or ${listedOnLedger(team)} as is_participant
    from (select ${id}::text as registry_id) r`.execute(reader)
  return rows[0] ?? { is_owner: false, is_participant: false }
}

/** Counts that only the whole of a registry tells. */
export interface Summary {
  unmaintained: boolean
  issuer_count: number
  verifier_count: number
}

export const EMPTY: Summary = { unmaintained: false, issuer_count: 0, verifier_count: 0 }

/** Summaries of some registries at a point. */
export async function summariesOf(
  reader: Reader,
  point: ReadPoint,
  ids: readonly Hex32[],
): Promise<(id: Hex32) => Summary> {
  if (ids.length === 0) return () => EMPTY
  const count = (role: 'issuer' | 'verifier') =>
    countedAt('active', sql.ref('r.registry_id'), sql`${partOf({ role })}`, point.block)
  const { rows } = await sql<Summary & { id: Hex32 }>`
    select r.registry_id as id, ${count('issuer')} as issuer_count, ${count('verifier')} as verifier_count,
      (r.convener like 'did:svc:%' and not exists (
        select 1 from ledger.did d where d.did = r.convener and ${holdsAt('d', point)})) as unmaintained
    from ledger.trust_registry r where ${among(ids)} and ${holdsAt('r', point)}`.execute(reader)
  const summaries = new Map(rows.map((row) => [row.id, row]))
  return (id) => summaries.get(id) ?? EMPTY
}

export const summaryOf = async (reader: Reader, point: ReadPoint, id: Hex32): Promise<Summary> =>
  (await summariesOf(reader, point, [id]))(id)

/** Whether the ledger ever had this registry: one that it has no more was removed. */
export async function wasRemoved(reader: Reader, id: string): Promise<boolean> {
  const { rows } = await sql<{ removed: boolean }>`
    select coalesce(bool_and(to_block is not null), false) as removed
    from ledger.trust_registry where registry_id = ${id}`.execute(reader)
  return rows[0]?.removed ?? false
}
