import { type RawBuilder, sql } from 'kysely'
import { anyOf } from '../platform/database/any-of.js'
import type { Reader, Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import type { Random } from '../platform/process/random.js'
import type { RegistryRow } from './registry.store.js'

/**
 * Returns a random index. If neighbours in a list were neighbours in time, watching the list would tell who was
 * revoked.
 * @param bytes 4 random ones
 */
export function indexFrom(bytes: Uint8Array, length: number): number {
  // 2^32 is a multiple of every power of two; for other lengths the bias is below one in 4,000.
  return Buffer.from(bytes).readUInt32BE() % length
}

export async function countEntries(reader: Reader, id: string): Promise<number> {
  const { used } = await reader
    .selectFrom('status_entries')
    .select((eb) => eb.fn.countAll<number>().as('used'))
    .where('registry_id', '=', id)
    .executeTakeFirstOrThrow()
  return used
}

export interface Booking {
  registry: Pick<RegistryRow, 'id' | 'length'>
  /** The team that books, which need not be the one that made the registry. */
  team: TeamId
}

/** An index that was drawn for a credential. */
export interface DrawnIndex extends Booking {
  index: number
  revocationId: string
}

/**
 * Books drawn indexes, a statement for all of them.
 * @returns for each whether it was free
 */
export async function bookDrawn(tx: Tx, drawn: readonly DrawnIndex[]): Promise<boolean[]> {
  // Several transactions that book cannot wait for each other: the indexes come in one order, and not in the midst of
  // the rounds of `bookIndexes`. One index alone can be waited for by somebody, and waits for nobody then.
  if (drawn.length > 1)
    for (const id of [...new Set(drawn.map(({ registry }) => registry.id))].sort())
      tx.defer({ compile: () => sql`select pg_advisory_xact_lock_shared(${lockOf(id)})`.compile(tx) })
  const { rows } = await sql<{ registry_id: string; index: number; revocation_id: string }>`
    insert into status_entries (registry_id, index, team_id, revocation_id)
    select * from unnest(${drawn.map(({ registry }) => registry.id)}::text[], ${drawn.map(({ index }) => index)}::int[],
      ${drawn.map(({ team }) => team)}::bigint[], ${drawn.map(({ revocationId }) => revocationId)}::text[]) as d (id, place)
    order by id, place on conflict do nothing returning registry_id, index, revocation_id`.execute(tx)
  const booked = new Map(rows.map((row) => [`${row.registry_id} ${row.index}`, row.revocation_id]))
  return drawn.map(({ registry, index, revocationId }) => {
    const place = `${registry.id} ${index}`
    const isBooked = booked.get(place) === revocationId
    // Of two that drew the same one, one has it, also when both are for the same id.
    if (isBooked) booked.delete(place)
    return isBooked
  })
}

const lockOf = (registryId: string): RawBuilder<unknown> =>
  sql`hashtextextended(${`service.status_entries ${registryId}`}, 0)`

/**
 * Books a free index for each id, a statement for all of them; those whose index was taken get another one in the next
 * round. A list is never fuller than four fifths, except when one registry is used by hand. One transaction after the
 * other for each registry: with what two hold from earlier rounds they could wait for each other.
 * @returns the index of each id, in no particular order; undefined when the list is full
 */
export async function bookIndexes(
  tx: Tx,
  { registry, team }: Booking,
  revocationIds: readonly string[],
  random: Random,
): Promise<ReadonlyMap<string, number> | undefined> {
  const booked = new Map<string, number>()
  if (revocationIds.length > 0) await sql`select pg_advisory_xact_lock(${lockOf(registry.id)})`.execute(tx)
  for (let round = 0; round < 100 && booked.size < revocationIds.length; round++) {
    const left = revocationIds.filter((id) => !booked.has(id))
    const wanted = new Map(left.map((id) => [indexFrom(random.bytes(4), registry.length), id]))
    const inserted = await tx
      .insertInto('status_entries')
      .values(
        [...wanted].map(([index, revocation_id]) => ({
          registry_id: registry.id,
          team_id: team,
          index,
          revocation_id,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning(['index', 'revocation_id'])
      .execute()
    for (const { index, revocation_id } of inserted) booked.set(revocation_id, index)
  }
  return booked.size < revocationIds.length ? undefined : booked
}

export interface StatusEntry {
  registry_id: string
  index: number
  revocation_id: string
  touched: Date | null
}

/** Every index that stands for these revocation ids in a registry, in order. */
export function findEntries(reader: Reader, registryId: string, revocationIds: string[]): Promise<StatusEntry[]> {
  return reader
    .selectFrom('status_entries')
    .select(['registry_id', 'index', 'revocation_id', 'touched'])
    .where('registry_id', '=', registryId)
    .where('revocation_id', '=', anyOf(revocationIds))
    .orderBy('index')
    .execute()
}

/** Every index of a team that stands for a revocation id, one of its registries after the other. */
export function findEntriesOfTeam(reader: Reader, team: TeamId, revocationId: string): Promise<StatusEntry[]> {
  return reader
    .selectFrom('status_entries')
    .select(['registry_id', 'index', 'revocation_id', 'touched'])
    .where('team_id', '=', team)
    .where('revocation_id', '=', revocationId)
    .orderBy('registry_id')
    .orderBy('index')
    .execute()
}

/** Notes that these were revoked or unrevoked at least once. */
export async function markTouched(tx: Tx, registryId: string, indexes: number[], now: Date): Promise<void> {
  await tx
    .updateTable('status_entries')
    .set({ touched: now })
    .where('registry_id', '=', registryId)
    .where('index', '=', sql<number>`any(${indexes}::int[])`)
    .where('touched', 'is', null)
    .execute()
}
