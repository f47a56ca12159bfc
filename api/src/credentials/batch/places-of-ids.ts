import { sql } from 'kysely'
import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { invalid } from '../../platform/errors.js'
import type { StatusEntry } from '../../status/entries.store.js'
import type { CredentialRow } from '../credential.store.js'

/** The credentials of a team with an id, and the places that stand for it in registries. */
export interface PlacesOfId {
  credentials: Pick<CredentialRow, 'registry_id' | 'status_index'>[]
  entries: StatusEntry[]
}

/** The most credentials that ids of one request may have together: ids of callers may repeat. */
const MOST_TOGETHER = 50_000

/**
 * Returns what ids stand for, those that stand for nothing left out.
 * @param ids the revocation ids by the ids
 */
export async function placesOfIds(
  reader: Reader,
  team: TeamId,
  ids: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, PlacesOfId>> {
  const { rows: credentials } = await sql<Pick<CredentialRow, 'id' | 'registry_id' | 'status_index'>>`
    select id, registry_id, status_index from credentials
    where team_id = ${team} and id = any(${[...ids.keys()]}::text[]) limit ${MOST_TOGETHER + 1}`.execute(reader)
  const { rows: entries } = await sql<StatusEntry>`
    select registry_id, index, revocation_id, touched from status_entries
    where team_id = ${team} and revocation_id = any(${[...ids.values()]}::text[])
    order by registry_id, index limit ${MOST_TOGETHER + 1}`.execute(reader)
  if (Math.max(credentials.length, entries.length) > MOST_TOGETHER)
    throw invalid(`More than ${MOST_TOGETHER} credentials have these ids: send fewer at once`)
  const entriesOf = groupedBy(entries, ({ revocation_id }) => revocation_id)
  const placesOf = ([id, some]: [string, PlacesOfId['credentials']]) =>
    [id, { credentials: some, entries: entriesOf.get(ids.get(id) ?? '') ?? [] }] as const
  return new Map([...groupedBy(credentials, ({ id }) => id)].map(placesOf))
}

function groupedBy<Row>(rows: readonly Row[], nameOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(nameOf(row))
    if (group) group.push(row)
    else groups.set(nameOf(row), [row])
  }
  return groups
}
