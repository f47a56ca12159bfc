import { sql } from 'kysely'
import type { Reader, Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/ids.js'
import type { Page } from '../platform/pagination.js'
import type { Random } from '../platform/random.js'
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

/** The same, when the team owns it. */
export async function findOwnRegistry(reader: Reader, team: TeamId, id: string): Promise<RegistryRow | undefined> {
  const registry = await findRegistry(reader, id)
  return registry?.team_id === team ? registry : undefined
}

/** The automatic registry that new revocable credentials of a DID go to. */
export function findIssuing(reader: Reader, creator: string, type: RegistryType): Promise<RegistryRow | undefined> {
  return reader
    .selectFrom('revocation_registries')
    .select(columns)
    .where('creator', '=', creator)
    .where('type', '=', type)
    .where('issuing', 'is', true)
    .executeTakeFirst()
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

export interface NewEntry {
  registry: Pick<RegistryRow, 'id' | 'team_id' | 'length'>
  revocationId: string
}

/** Books an index for a credential. @returns false when it is taken */
export async function bookIndex(tx: Tx, { registry, revocationId }: NewEntry, index: number): Promise<boolean> {
  const row = await tx
    .insertInto('status_entries')
    .values({ registry_id: registry.id, index, team_id: registry.team_id, revocation_id: revocationId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('index')
    .executeTakeFirst()
  return row !== undefined
}

/** Books any free index. A list is never fuller than four fifths, except when one registry is used by hand. */
export async function bookAnyIndex(tx: Tx, entry: NewEntry, random: Random): Promise<number | undefined> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const index = indexFrom(random.bytes(4), entry.registry.length)
    if (await bookIndex(tx, entry, index)) return index
  }
  return undefined
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
    .where('revocation_id', '=', sql<string>`any(${revocationIds}::text[])`)
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
