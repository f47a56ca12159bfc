import type { Hex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../platform/database/database.js'
import type { ReadPoint } from '../read-point.js'

/** Selects the participants that accepted an invitation and had not left at a point: `x` may be narrowed further. */
export const acceptedAt = ({ instant }: ReadPoint, scope: RawBuilder<boolean>) => sql`
  select * from service.participants x
  where ${scope} and x.state = 'active' and x.from_time <= ${instant}::timestamptz
    and (x.to_time is null or x.to_time > ${instant}::timestamptz)`

/**
 * Selects the display names of the DIDs of a registry at a point, as `service.refresh_display_names` stores them: they
 * equal those of `shownAs`.
 */
export const namedAt = ({ instant }: ReadPoint, registry: Hex32) => sql`
  select x.did, x.name, x.searched from service.display_names x
  where x.registry_id = ${registry} and x.from_time <= ${instant}::timestamptz
    and (x.to_time is null or x.to_time > ${instant}::timestamptz)`

/**
 * Selects the display names of the DIDs of registries at a point: the profile's, else the one given at acceptance, else
 * the convener's.
 *
 * @param who alias of rows with registry_id, did, and the name, description and logo_url of an acceptance (null: there
 *   was none)
 * @returns the columns name, description and logo_url, and the joins behind `who` that they need
 */
export function shownAs(who: string, { instant }: ReadPoint) {
  const of = (column: string) => sql.ref(`${who}.${column}`)
  return {
    name: sql<string | null>`coalesce(own.name, ${of('name')}, given.name)`,
    description: sql<string | null>`coalesce(own.description, ${of('description')})`,
    logoUrl: sql<string | null>`coalesce(own.logo_url, ${of('logo_url')}, given.logo_url)`,
    joins: sql`
      left join lateral service.profiles_at(array[${of('did')}], ${instant}::timestamptz) own on true
      left join lateral (
        select g.name, g.logo_url from service.participant_names g
        where own.name is null and ${of('name')} is null and g.registry_id = ${of('registry_id')} and g.did = ${of('did')}
          and g.state = 'active' and g.from_time <= ${instant}::timestamptz
        order by g.from_time desc, g.row_id desc limit 1) given on true`,
  }
}

/** Returns the display names of DIDs in a registry at a point; DIDs without one are left out. */
export async function displayNames(
  reader: Reader,
  point: ReadPoint,
  registry: Hex32,
  dids: readonly string[],
): Promise<Map<string, string>> {
  if (dids.length === 0) return new Map()
  const shown = shownAs('w', point)
  const ofThem = sql<boolean>`(x.registry_id = ${registry} and x.did = any(${dids}::text[]))`
  const { rows } = await sql<{ did: string; name: string }>`
    with w as (
      select ${registry}::text as registry_id, d.did, a.name, a.description, a.logo_url
      from unnest(${dids}::text[]) as d (did) left join (${acceptedAt(point, ofThem)}) a on a.did = d.did)
    select w.did, ${shown.name} as name from w ${shown.joins} where ${shown.name} is not null`.execute(reader)
  return new Map(rows.map(({ did, name }) => [did, name]))
}
