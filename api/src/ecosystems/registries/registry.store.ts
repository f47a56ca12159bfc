import type { Hex32 } from '@accredit/chain'
import { type Selectable, sql } from 'kysely'
import { hadRegistry } from '../../ledger/read/registries/registry-states.js'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { lockByName } from '../../platform/database/lock-by-name.js'
import type { ServiceTables } from '../../platform/database/tables.js'
import type { ReadPoint } from '../read-point.js'
import { type RegistryRef, slugCandidates } from './slug.js'

import '../tables.js'

export type RegistryRecord = Selectable<ServiceTables['trust_registries']>
export type RegistryVersion = Selectable<ServiceTables['trust_registry_versions']>

/** The texts that a convener gives a registry. */
export interface RegistryTexts {
  name: string
  description: string
  logo_url: string
  ecosystem_url: string
  governance_framework: string
  governance_framework_version: string
  governance_reference: string
}

export interface NewVersion {
  registry_id: Hex32
  version: number
  team_id: TeamId
  slug: string
  texts: RegistryTexts
  /** The job of its action, from whose block on the row is shown; undefined: it is shown from `from_time` on. */
  job_id: string | undefined
  from_time: Date
}

export async function insertRegistry(tx: Tx, row: RegistryRecord): Promise<void> {
  await tx
    .insertInto('trust_registries')
    .values(row)
    .onConflict((conflict) => conflict.column('registry_id').doNothing())
    .execute()
}

export async function insertVersion(tx: Tx, { texts, job_id, from_time, ...row }: NewVersion): Promise<void> {
  const pending = job_id !== undefined
  await tx
    .insertInto('trust_registry_versions')
    .values({
      ...row,
      ...texts,
      state: pending ? 'pending' : 'active',
      job_id: job_id ?? null,
      from_time: pending ? null : from_time,
    })
    .execute()
}

/** Returns the first free slug for a name. It is the registry's for ever, unless its registration fails. */
export async function claimSlug(tx: Tx, team: TeamId, registryId: Hex32, name: string): Promise<string> {
  for (const slug of slugCandidates(name, registryId)) {
    await tx
      .insertInto('registry_slugs')
      .values({ slug, registry_id: registryId, team_id: team })
      .onConflict((conflict) => conflict.column('slug').doNothing())
      .execute()
    const holder = await tx
      .selectFrom('registry_slugs')
      .select('registry_id')
      .where('slug', '=', slug)
      .executeTakeFirst()
    if (holder?.registry_id === registryId) return slug
  }
  throw new Error(`no slug is free for registry ${registryId}`)
}

/** Locks a registry against other changes of its texts, and returns the newest version that was not refused. */
export async function lockNewestVersion(tx: Tx, registryId: Hex32): Promise<RegistryVersion | undefined> {
  // The lock is not on its row: the team that made the registry owns that row, and another owner cannot lock it.
  await lockByName(tx, `service.trust_registries ${registryId}`)
  return tx
    .selectFrom('trust_registry_versions')
    .selectAll()
    .where('registry_id', '=', registryId)
    .where('state', '<>', 'failed')
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function nextVersionNumber(tx: Tx, registryId: Hex32): Promise<number> {
  const { newest } = await tx
    .selectFrom('trust_registry_versions')
    .select((eb) => eb.fn.coalesce(eb.fn.max('version'), eb.lit(0)).as('newest'))
    .where('registry_id', '=', registryId)
    .executeTakeFirstOrThrow()
  return newest + 1
}

export type PendingRegistry = RegistryRecord & Omit<RegistryVersion, 'registry_id' | 'team_id' | 'state' | 'job_id'>

const pendingRegistries = (reader: Reader, team: TeamId) =>
  reader
    .selectFrom('trust_registries as r')
    .innerJoin('trust_registry_versions as v', (join) =>
      join.onRef('v.registry_id', '=', 'r.registry_id').on('v.version', '=', 1),
    )
    .selectAll('v')
    .selectAll('r')
    .where('r.team_id', '=', team)
    .where('r.state', '=', 'pending')

/** Returns a registry of the team that was accepted and is not on the ledger yet. */
export const ownPendingRegistry = (
  reader: Reader,
  team: TeamId,
  ref: RegistryRef,
): Promise<PendingRegistry | undefined> =>
  pendingRegistries(reader, team)
    .where((eb) => ('id' in ref ? eb('r.registry_id', '=', ref.id) : eb('v.slug', '=', ref.slug)))
    .executeTakeFirst()

/**
 * Returns all of them that the ledger does not have at the point of an answer, newest first. They are few: each becomes
 * a registry of the ledger, or fails, within seconds; the number that waits for signatures of a team is limited.
 */
export const ownPendingRegistries = (reader: Reader, team: TeamId, point: ReadPoint): Promise<PendingRegistry[]> =>
  pendingRegistries(reader, team)
    .where(sql<boolean>`not ${hadRegistry(sql.ref('r.registry_id'), point)}`)
    .orderBy('r.created', 'desc')
    .orderBy('r.registry_id')
    .execute()

/** Counts a team's registries that are not on the ledger yet; simultaneous counts go one after the other. */
export async function countPending(tx: Tx, team: TeamId): Promise<number> {
  await sql`select from service.teams where id = ${team} for no key update`.execute(tx)
  const counted = tx.selectFrom('trust_registries').select(({ fn }) => fn.countAll<number>().as('count'))
  return (await counted.where('team_id', '=', team).where('state', '=', 'pending').executeTakeFirstOrThrow()).count
}
