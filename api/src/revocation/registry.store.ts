import { sql } from 'kysely'
import { everSignersOf, registriesSignedBy } from '../ledger/read/revocation-registries.js'
import { anyOf } from '../platform/database/any-of.js'
import type { Reader, Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import type { Page } from '../platform/http/pagination.js'
import type { Random } from '../platform/process/random.js'
import type { RegistryType, RevocationRegistriesTable } from './registry.tables.js'
import { indexFrom } from './status-entry.js'

export type RegistryRow = Omit<RevocationRegistriesTable, 'n' | 'created'> & { created: Date }

const columns = [
  ...(['id', 'team_id', 'creator', 'policy', 'add_only', 'type', 'length'] as const),
  ...(['automatic', 'issuing', 'status', 'job_id', 'created'] as const),
] as const

/** A registry that anyone may ask about: not failed, not removed. */
export function findRegistry(reader: Reader, id: string): Promise<RegistryRow | undefined> {
  return reader
    .selectFrom('revocation_registries')
    .select(columns)
    .where('id', '=', id)
    .where('status', 'not in', ['failed', 'removed'])
    .executeTakeFirst()
}

/**
 * The same, when it is the team's: it made the registry, or has a DID of the policy now, which is who may change it on the
 * ledger. A DID that moved to another team takes its place in policies along.
 */
export async function findOwnRegistry(reader: Reader, team: TeamId, id: string): Promise<RegistryRow | undefined> {
  const registry = await findRegistry(reader, id)
  if (registry === undefined || registry.team_id === team) return registry
  const held = await reader
    .selectFrom('dids')
    .select('did')
    .where('did', '=', anyOf(registry.policy))
    .where('team_id', '=', team)
    .where('status', 'in', ['pending', 'active'])
    .limit(1)
    .executeTakeFirst()
  return held && registry
}

/** Whether the status list of a registry is the team's to name: it made the registry, or holds a DID that may change it. */
export async function hasStatusList(reader: Reader, team: TeamId, id: string): Promise<boolean> {
  if (await findOwnRegistry(reader, team, id)) return true
  const { rows } = await sql<{ isOwn: boolean }>`
    select exists (select from dids d where d.did = any(array(${everSignersOf(id)}))
      and d.team_id = ${team} and d.status in ('pending', 'active')) as "isOwn"`.execute(reader)
  return rows[0]?.isOwn ?? false
}

/** The automatic registry that new revocable credentials of a DID go to, as long as the team has it. */
export function findIssuing(
  reader: Reader,
  team: TeamId,
  creator: string,
  type: RegistryType,
): Promise<RegistryRow | undefined> {
  return reader
    .selectFrom('revocation_registries')
    .select(columns)
    .where('team_id', '=', team)
    .where('creator', '=', creator)
    .where('type', '=', type)
    .where('issuing', 'is', true)
    .executeTakeFirst()
}

/** Ids of the registries whose lists the DID may have to sign (`listSigner`), and of those that a DID of the team made by an action. */
export async function registriesWith(reader: Reader, team: TeamId, did: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from revocation_registries r join dids d on d.did = ${did} and d.team_id = ${team}
    where r.policy @> array[d.did] and r.status not in ('failed', 'removed') and (r.team_id = d.team_id or r.created < d.created)
    union
    select r.registry_id from (${registriesSignedBy(did)}) r join dids d on d.did = r.creator where d.team_id = ${team}`.execute(
    reader,
  )
  return rows.map(({ id }) => id)
}

export interface RegistryFilter {
  /** The policy holds this DID. */
  did?: string
  type?: string
}

export function listRegistries(
  reader: Reader,
  team: TeamId,
  filter: RegistryFilter,
  page: Page,
): Promise<RegistryRow[]> {
  const { did, type } = filter
  let query = reader
    .selectFrom('revocation_registries')
    .select(columns)
    .where('team_id', '=', team)
    .where('status', 'not in', ['failed', 'removed'])
  if (did !== undefined) query = query.where(sql<boolean>`${did} = any(policy)`)
  if (type !== undefined) query = query.where(sql<boolean>`type = ${type}`)
  return query.orderBy('n', 'desc').offset(page.offset).limit(page.limit).execute()
}

/** @returns false when another request has just made the issuing registry of this creator */
export async function insertRegistry(tx: Tx, row: RegistryRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('revocation_registries')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function markRemoving(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('revocation_registries')
    .set({ status: 'removing', issuing: false })
    .where('id', '=', id)
    .execute()
}

/** New credentials go elsewhere from now on. */
export async function closeIssuing(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('revocation_registries').set({ issuing: false }).where('id', '=', id).execute()
}

export async function countEntries(reader: Reader, id: string): Promise<number> {
  const row = await reader
    .selectFrom('status_entries')
    .select((eb) => eb.fn.countAll<number>().as('used'))
    .where('registry_id', '=', id)
    .executeTakeFirst()
  return row?.used ?? 0
}

export interface Booking {
  registry: Pick<RegistryRow, 'id' | 'length'>
  /** Who books, which need not be who made the registry. */
  team: TeamId
}

/** Books an index for a credential. @returns false when it is taken */
export async function bookIndex(
  tx: Tx,
  { registry, team }: Booking,
  revocationId: string,
  index: number,
): Promise<boolean> {
  const row = await tx
    .insertInto('status_entries')
    .values({ registry_id: registry.id, index, team_id: team, revocation_id: revocationId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('index')
    .executeTakeFirst()
  return row !== undefined
}

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
  if (revocationIds.length > 0)
    await sql`select pg_advisory_xact_lock(hashtextextended(${`service.status_entries ${registry.id}`}, 0))`.execute(tx)
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

/** Every index that stands for these revocation ids in a registry. */
export function findEntries(reader: Reader, registryId: string, revocationIds: string[]): Promise<StatusEntry[]> {
  return reader
    .selectFrom('status_entries')
    .select(['registry_id', 'index', 'revocation_id', 'touched'])
    .where('registry_id', '=', registryId)
    .where('revocation_id', '=', anyOf(revocationIds))
    .execute()
}

/** Every index of a team that stands for a revocation id, over all its registries. */
export function findEntriesOfTeam(reader: Reader, team: TeamId, revocationId: string): Promise<StatusEntry[]> {
  return reader
    .selectFrom('status_entries')
    .select(['registry_id', 'index', 'revocation_id', 'touched'])
    .where('team_id', '=', team)
    .where('revocation_id', '=', revocationId)
    .execute()
}

/** Notes that somebody revoked or unrevoked these: from now on there is something to say about them. */
export async function markTouched(tx: Tx, registryId: string, indexes: number[], now: Date): Promise<void> {
  await tx
    .updateTable('status_entries')
    .set({ touched: now })
    .where('registry_id', '=', registryId)
    .where('index', '=', sql<number>`any(${indexes}::int[])`)
    .where('touched', 'is', null)
    .execute()
}
