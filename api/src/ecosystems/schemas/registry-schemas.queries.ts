import type { Did, Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import { countedAt } from '../../ledger/read/participants/participant-counts.js'
import { newestOf } from '../../ledger/read/participants/participant-entries.js'
import { issuersAmong } from '../../ledger/read/participants/rights.js'
import { schemaPage } from '../../ledger/read/registries/registry-schemas.js'
import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { Page } from '../../platform/http/pagination.js'
import { type Paged, paged, type ReadPoint } from '../read-point.js'

/** A schema of a registry at one point. */
export interface RegistrySchemaRow {
  hash: Hex32
  /** The schema's URI where it is known here, otherwise its hash. */
  id: string
  name: string
  is_public: boolean
  participants: number
  /** The newest of them. */
  top: Did[]
}

/** Returns one page of a registry's schemas, newest first, each with at most `top` of its participants. */
export const registrySchemasAt = (
  reader: Reader,
  point: ReadPoint,
  registry: Hex32,
  page: Page,
  top: number,
): Promise<Paged<RegistrySchemaRow>> => paged(page, (part) => schemaRows(reader, point, registry, part, top))

async function schemaRows(reader: Reader, point: ReadPoint, registry: Hex32, page: Page, top: number) {
  const { rows } = await sql<RegistrySchemaRow & { total: number }>`
    with page as materialized (${schemaPage(registry, point, page)})
    select p.schema_id as hash, coalesce(h.id, u.uri, p.schema_id) as id,
      coalesce(h.name, u.uri, p.schema_id) as name, p.is_public, p.total,
      ${countedAt('listed', sql.ref('p.registry_id'), sql.ref('p.schema_id'), point.block)} as participants,
      ${newestOf(sql.ref('p.registry_id'), sql.ref('p.schema_id'), point, top)} as top
    from page p
    left join service.schemas h on h.hash = p.schema_id
    left join service.schema_uris u on u.hash = p.schema_id
    order by p.since desc, p.schema_id`.execute(reader)
  return rows
}

/** Selects the team's DIDs that issue each schema in some registry, where they are not suspended. */
export const ownIssuersOf = (
  reader: Reader,
  point: ReadPoint,
  schemas: readonly Hex32[],
  team: TeamId,
): Promise<Map<Hex32, Did[]>> =>
  issuersAmong(reader, point, schemas, sql`select did from service.dids where team_id = ${team} and status = 'active'`)
