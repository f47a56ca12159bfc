import type { Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import { inRegistry, type ParticipantScope } from '../ecosystems/participant.queries.js'
import type { ReadPoint } from '../ecosystems/read-point.js'

/** Participants of a registry whose name, as it was shown at the point, or whose DID holds a text; none given: all. */
export function participantsLike(registry: Hex32, text: string | undefined, { instant }: ReadPoint): ParticipantScope {
  const words = text?.normalize('NFC').trim()
  if (words === undefined || words === '') return inRegistry(registry)
  const pattern = `%${words.replace(/[\\%_]/g, '\\$&')}%`
  const held = (from: string, to: string) =>
    sql`${sql.ref(from)} <= ${instant}::timestamptz and (${sql.ref(to)} is null or ${sql.ref(to)} > ${instant}::timestamptz)`
  return sql<boolean>`(${inRegistry(registry)} and (x.did like ${pattern} or x.did in (
    select p.did from service.profiles p where p.name ilike ${pattern} and ${held('p.valid_from', 'p.valid_to')}
    union select a.did from service.participants a
    where a.registry_id = ${registry} and a.name ilike ${pattern} and a.state = 'active' and ${held('a.from_time', 'a.to_time')}
      and not exists (select from service.profiles p where p.did = a.did and ${held('p.valid_from', 'p.valid_to')}))))`
}
