import type { Did, Hex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import { blocks } from '../../ledger/read/blocks.js'
import { isListedNow } from '../../ledger/read/participants/participant-entries.js'
import { isEmptyFilter, registryMatches } from '../../ledger/read/query-filter.js'
import { lastConvenerOf, registriesLastConvenedBy, wasEverConvener } from '../../ledger/read/registries/convener.js'
import { type RegistryFilter, registryPage } from '../../ledger/read/registries/registry-states.js'
import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { Page } from '../../platform/http/pagination.js'
import { FIRST_ONLY, type ReadPoint } from '../read-point.js'
import type { RegistryRef } from './slug.js'
import { idOfRef } from './slug.queries.js'

/** A registry on the ledger at one point, with the service's texts. Null: the service knows nothing of it. */
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

const everyRegistry: RegistryFilter = sql<boolean>`true`

const ofRef = (ref: RegistryRef, point: ReadPoint): RegistryFilter =>
  sql<boolean>`r.registry_id = ${idOfRef(ref, point)}`

/**
 * Selects the DIDs of which a team has, or had, anything; whether it still holds one is asked only where it matters.
 */
export const didsOf = (team: TeamId) => sql`(
  select did from service.dids where team_id = ${team} union select did from service.did_proofs where team_id = ${team})`

/** Selects the registries whose present convener is a DID of the team, wherever its keys are. */
export const ownedBy = (team: TeamId): RegistryFilter =>
  sql<boolean>`r.registry_id in (${registriesLastConvenedBy(
    sql`select service.held_among(${team}, array(
    select mine.did from ${didsOf(team)} mine where ${wasEverConvener(sql.ref('mine.did'))}))`,
  )})`

export interface RegistryQuery {
  issuer?: Did | undefined
  verifier?: Did | undefined
  schema?: Hex32 | undefined
}

/**
 * The filters of a list of registries. They combine by intersection and need not meet on one schema. Without any: every
 * registry.
 */
export function matching({ issuer, verifier, schema }: RegistryQuery, { block }: ReadPoint): RegistryFilter {
  const filter = {
    ...(issuer && { issuers: [issuer] }),
    ...(verifier && { verifiers: [verifier] }),
    ...(schema && { schemaIds: [schema] }),
  }
  return isEmptyFilter(filter) ? everyRegistry : registryMatches(filter, block)
}

/** Returns one page of registries at a point, in the order in which the ledger got them, newest first. */
export async function registriesAt(
  reader: Reader,
  point: ReadPoint,
  filter: RegistryFilter,
  page: Page,
): Promise<RegistryRow[]> {
  const { rows } = await sql<RegistryRow>`
    with page as materialized (${registryPage(filter, point, page)})
    select p.registry_id as id, p.convener, p.name, p.gov_framework, p.version, coalesce(s.created, b.time) as created,
      v.slug, v.description, v.logo_url, v.ecosystem_url,
      g.governance_framework, g.governance_framework_version,
      c.name as convener_name, c.logo_url as convener_logo_url
    from page p
    join (${blocks}) b on b.height = p.begun
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
 * Tells in SQL whether the ledger lists a DID of the team in a registry. Only listed DIDs are checked for being still
 * the team's.
 */
const listedOnLedger = (team: TeamId): RawBuilder<boolean> =>
  sql<boolean>`exists (select service.held_among(${team}, array(
    select mine.did from ${didsOf(team)} mine
    where ${isListedNow(sql.ref('r.registry_id'), sql.ref('mine.did'))})))`

export async function standingIn(reader: Reader, id: Hex32, team: TeamId): Promise<Standing> {
  const { rows } = await sql<Standing>`
    select exists (select service.held_among(${team}, array[${lastConvenerOf(sql.ref('r.registry_id'))}])) as is_owner,
      exists (select 1 from service.participants p where p.registry_id = r.registry_id and p.team_id = ${team}
        and p.state = 'active' and p.to_time is null) or ${listedOnLedger(team)} as is_participant
    from (select ${id}::text as registry_id) r`.execute(reader)
  return rows[0] ?? { is_owner: false, is_participant: false }
}
