import { type RawBuilder, sql } from 'kysely'
import { everSignersOf, registriesSignedBy } from '../ledger/read/revocation-registries.js'
import { anyOf } from '../platform/database/any-of.js'
import type { Reader, Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import { ApiError } from '../platform/errors.js'
import type { Page } from '../platform/http/pagination.js'
import { findRegistry, type RegistryRow, registryColumns } from '../status/registry.store.js'

/**
 * A registry that anyone may ask about, when it is the team's: it made the registry, or has a DID of the policy now,
 * which is who may change it on the ledger. A DID that moved to another team takes its place in policies along.
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

/**
 * Tells whether a team may name the status list of a registry: it made it, holds a DID that may change it, or the one to
 * which the list of a wallet belongs.
 */
export async function hasStatusList(reader: Reader, team: TeamId, id: string): Promise<boolean> {
  if (await findOwnRegistry(reader, team, id)) return true
  const { rows } = await sql<{ isOwn: boolean }>`
    select exists (select from dids d where d.did = any(array(${everSignersOf(id)}))
      and d.team_id = ${team} and d.status in ('pending', 'active'))
      or exists (select from delegatable_registries g join dids d on d.did = g.owner where g.registry_id = ${id}
        and d.team_id = ${team} and d.status in ('pending', 'active')) as "isOwn"`.execute(reader)
  return rows[0]?.isOwn ?? false
}

/** The automatic registry that new revocable credentials of a DID go to, as long as the team has it. */
export function findIssuing(
  reader: Reader,
  team: TeamId,
  creator: string,
  type: string,
): Promise<RegistryRow | undefined> {
  return reader
    .selectFrom('revocation_registries')
    .select(registryColumns)
    .where('team_id', '=', team)
    .where('creator', '=', creator)
    .where('type', '=', type)
    .where('issuing', 'is', true)
    .executeTakeFirst()
}

/** Tells in SQL whether new credentials still go to an automatic registry. */
export const isIssuing = (id: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from revocation_registries where id = ${id} and issuing)`

/**
 * Ids of the registries whose lists the DID may have to sign (`listSigner`), and of those that a DID of the team made
 * by an action.
 */
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
    .select(registryColumns)
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

/**
 * Lets no registry give a place any more; automatic ones are followed by new ones. Returns how many there are.
 */
export async function closeLists(tx: Tx): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('revocation_registries')
    .set({ closed: true, issuing: false })
    .where('status', 'not in', ['failed', 'removed'])
    .where('closed', 'is', false)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** @throws 409 for a registry whose free places are not known */
export function requireOpen({ closed }: Pick<RegistryRow, 'closed'>): void {
  if (closed)
    throw new ApiError(
      'too_many',
      'The registry gives no more places since the service was restored from a copy: some that look free may be taken. Make another registry.',
    )
}

/** New credentials go elsewhere from now on. */
export async function closeIssuing(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('revocation_registries').set({ issuing: false }).where('id', '=', id).execute()
}
