import type { Did, Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { Reader } from '../platform/database/database.js'
import type { Page } from '../platform/pagination.js'
import { inRegistry } from './participant.queries.js'
import { type Paged, paged, type ReadPoint } from './read-point.js'
import { holdsAt } from './registry.queries.js'
import { acceptedAt, shownAs } from './shown-name.js'

/** What somebody wrote to find a participant; undefined: nothing. */
export function wordsOf(text: string | undefined): string | undefined {
  const words = text?.normalize('NFC').trim()
  return words === '' ? undefined : words
}

/**
 * Participants of a registry whose name, as it is shown at the point, or whose DID holds a text; newest first. It looks at each
 * participant of the registry and at nobody else.
 */
export const participantsLike = (
  reader: Reader,
  point: ReadPoint,
  registry: Hex32,
  words: string,
  page: Page,
): Promise<Paged<{ did: Did }>> => paged(page, (part) => found(reader, point, registry, words, part))

async function found(reader: Reader, point: ReadPoint, registry: Hex32, words: string, { offset, limit }: Page) {
  const pattern = `%${words.replace(/[\\%_]/g, '\\$&')}%`
  const shown = shownAs('e', point)
  const listed = (table: 'issuer' | 'verifier') => sql`
    select x.did, x.from_block from ${sql.table(`ledger.${table}`)} x where ${inRegistry(registry)} and ${holdsAt('x', point)}`
  const { rows } = await sql<{ did: Did; total: number }>`
    with listed as (
      select did, min(from_block) as since from (${listed('issuer')} union all ${listed('verifier')}) r group by did
    ), e as materialized (
      select ${registry}::text as registry_id, coalesce(a.did, l.did) as did, l.since, a.created, a.name, a.description, a.logo_url
      from listed l full join (${acceptedAt(point, inRegistry(registry))}) a on a.did = l.did
    )
    select e.did, count(*) over ()::int as total
    from e ${shown.joins} left join ledger.block b on b.height = e.since
    where e.did like ${pattern} or ${shown.name} ilike ${pattern}
    order by coalesce(e.created, b.time) desc, e.did limit ${limit} offset ${offset}`.execute(reader)
  return rows
}
