import { sql } from 'kysely'
import { anyOf } from '../platform/database/any-of.js'
import type { Reader, Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import { lockByName } from '../platform/database/lock-by-name.js'
import type {} from './delegatable.tables.js'

export interface Delegatable {
  registry_id: string
  team_id: TeamId
  owner: string
}

const columns = ['registry_id', 'team_id', 'owner'] as const

/** It is on the ledger, or on its way there. */
const stands = sql<boolean>`exists (select from revocation_registries r
  where r.id = registry_id and r.status not in ('failed', 'removed'))`

/** A list of a wallet, whose creation did not fail. */
export function findDelegatable(reader: Reader, registryId: string): Promise<Delegatable | undefined> {
  return reader
    .selectFrom('delegatable_registries')
    .select(columns)
    .where('registry_id', '=', registryId)
    .where(stands)
    .executeTakeFirst()
}

/** The lists whose owners are DIDs of a team, without those whose creation failed. */
export function delegatableOf(reader: Reader, team: TeamId): Promise<Delegatable[]> {
  const own = reader
    .selectFrom('dids')
    .select('did')
    .where('team_id', '=', team)
    .where('status', 'in', ['pending', 'active'])
  return reader.selectFrom('delegatable_registries').select(columns).where('owner', 'in', own).where(stands).execute()
}

export async function insertDelegatable(tx: Tx, row: Delegatable, now: Date): Promise<void> {
  await tx
    .insertInto('delegatable_registries')
    .values({ ...row, created: now })
    .execute()
}

/** The DIDs with which the lists of a team were made, the newest first. */
export async function keepersOf(reader: Reader, team: TeamId): Promise<string[]> {
  const { rows } = await sql<{ creator: string }>`
    select r.creator from delegatable_registries d join revocation_registries r on r.id = d.registry_id
    where d.team_id = ${team} group by r.creator order by max(d.created) desc, r.creator`.execute(reader)
  return rows.map(({ creator }) => creator)
}

/** Of several requests of a team that need its first keeper one makes it. */
export async function lockKeepers(tx: Tx, team: TeamId): Promise<void> {
  await lockByName(tx, `service.delegatable_registries ${team}`)
}

/**
 * The credential at a place of a list, by the hash of its id, after this one had its chance to take it. Of requests of one
 * list one at a time looks: at once, one credential would get several places.
 */
export async function bindPlace(
  tx: Tx,
  { registry_id, team_id }: Delegatable,
  { index, revocationId }: { index: number; revocationId: string },
): Promise<'bound' | 'taken' | 'elsewhere'> {
  await lockByName(tx, `service.delegatable_places ${registry_id}`)
  await tx
    .insertInto('status_entries')
    .values({ registry_id, index, team_id, revocation_id: revocationId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const rows = await tx
    .selectFrom('status_entries')
    .select(['index', 'revocation_id'])
    .where('registry_id', '=', registry_id)
    .where((eb) => eb.or([eb('index', '=', index), eb('revocation_id', '=', revocationId)]))
    .execute()
  if (rows.some((row) => row.index === index && row.revocation_id !== revocationId)) return 'taken'
  return rows.some((row) => row.index !== index) ? 'elsewhere' : 'bound'
}

/** The places of a credential of a team in lists, as it was issued. */
export function issuedPlaces(
  reader: Reader,
  team: TeamId,
  credentialId: string,
  registries: readonly string[],
): Promise<{ registry_id: string | null; status_index: number | null }[]> {
  return reader
    .selectFrom('credentials')
    .select(['registry_id', 'status_index'])
    .where('team_id', '=', team)
    .where('id', '=', credentialId)
    .where('registry_id', '=', anyOf([...registries]))
    .execute()
}

/** @returns false when it was used before */
export async function useToken(tx: Tx, digest: Buffer, expires: Date, now: Date): Promise<boolean> {
  await tx.deleteFrom('wallet_tokens').where('expires', '<', now).execute()
  const used = await tx
    .insertInto('wallet_tokens')
    .values({ digest, expires })
    .onConflict((conflict) => conflict.doNothing())
    .returning('expires')
    .executeTakeFirst()
  return used !== undefined
}
