import type { Hex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../platform/database/database.js'
import type { ReadPoint } from '../read-point.js'
import type { RegistryRef } from './slug.js'

/**
 * Selects the registry that a slug means at an instant: the one that was shown with it then. Else the one that has it,
 * or had it: one address serves all of a registry's past, and never another registry.
 */
export const idOfSlug = (
  slug: string,
  { instant }: Pick<ReadPoint, 'instant'>,
): RawBuilder<Hex32 | null> => sql`coalesce(
  (select v.registry_id from service.trust_registry_versions v
    where v.slug = ${slug} and v.state = 'active' and v.from_time <= ${instant}::timestamptz and not exists (
      select from service.trust_registry_versions n where n.registry_id = v.registry_id and n.version > v.version
        and n.state = 'active' and n.from_time <= ${instant}::timestamptz)
    order by v.from_time desc limit 1),
  (select s.registry_id from service.registry_slugs s where s.slug = ${slug}))`

/** Selects the id that a reference means at an instant. */
export const idOfRef = (ref: RegistryRef, point: Pick<ReadPoint, 'instant'>): RawBuilder<Hex32 | null> =>
  'id' in ref ? sql`${ref.id}::text` : idOfSlug(ref.slug, point)

/** Selects the slug that a registry is shown with now, or was until it was removed; undefined: it never had one. */
export async function presentSlug(reader: Reader, registryId: Hex32): Promise<string | undefined> {
  const { rows } = await sql<{ slug: string }>`
    select v.slug from service.trust_registry_versions v where v.registry_id = ${registryId} and v.state = 'active'
    order by v.version desc limit 1`.execute(reader)
  return rows[0]?.slug
}
