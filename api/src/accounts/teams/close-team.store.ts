import '../account.tables.js'
import { sql } from 'kysely'
import type { Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { tellJournal } from '../../platform/database/tell-journal.js'
import { notFound } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'

/** The channel on which the worker is told of deletions and erasures. */
export const FORGETTING_CHANNEL = 'service_forgetting'

type Needs = Pick<Context, 'config' | 'random' | 'clock'>

/**
 * Makes a team end, with its sub-accounts: from the commit on its keys and sessions open nothing, its web hooks are told
 * nothing and its batches stand still. The worker deletes the rest. The journal has it before the commit, and so before
 * any answer.
 *
 * @returns the id of the deletion of the team, by which anyone who has it learns how far it is
 */
export async function closeTeam(tx: Tx, services: Needs, team: TeamId): Promise<string> {
  const [id = ''] = await closeTeams(tx, services, [team])
  return id
}

/** Makes several teams end, as `closeTeam` does one. @returns the ids of their deletions */
export async function closeTeams(tx: Tx, services: Needs, teams: readonly TeamId[]): Promise<string[]> {
  if (teams.length === 0) return []
  await lockTemporaryKeys(tx, teams)
  const rows = tx.selectFrom('teams').select(['id', 'created']).orderBy('id').forUpdate()
  const own = await rows.where('id', 'in', teams).execute()
  if (own.length < teams.length) throw notFound('Team')
  // A sub-account that was made at this moment is there: its maker held the team until then.
  const parts = await rows.where('parent_id', 'in', teams).where('id', 'not in', teams).execute()
  const now = services.clock.now()
  const deletions = [...own, ...parts].map(({ id, created }) => ({ id: services.random.uuid(), team: id, created }))
  for (const { id, team: one } of deletions) await beginDeletion(tx, { id, team: one, now })
  await tellJournal(
    tx,
    services,
    deletions.map(({ id, team: one, created }) => ({
      id,
      deletion: { number: Number(one), created: created.toISOString() },
    })),
  )
  await sql`select pg_notify(${FORGETTING_CHANNEL}, '')`.execute(tx)
  return deletions.slice(0, own.length).map(({ id }) => id)
}

/**
 * Makes a team end that the journal tells of and a restored copy still has, with its sub-accounts that do not end yet.
 *
 * @returns whether it did not end by this deletion already
 */
export async function beginDeletionAgain(
  tx: Tx,
  { clock, random }: Pick<Needs, 'clock' | 'random'>,
  { id, team }: { id: string; team: TeamId },
): Promise<boolean> {
  await lockTemporaryKeys(tx, [team])
  const rows = tx.selectFrom('teams').select('id').orderBy('id').forUpdate()
  const own = await rows.where('id', '=', team).executeTakeFirst()
  const isKnown = await tx.selectFrom('deletions').select('id').where('id', '=', id).executeTakeFirst()
  if (!own || isKnown) return false
  const parts = await rows
    .where('parent_id', '=', team)
    .where(sql<boolean>`not exists (select from service.deletions d where d.team_id = teams.id)`)
    .execute()
  const now = clock.now()
  await beginDeletion(tx, { id, team, now })
  for (const part of parts) await beginDeletion(tx, { id: random.uuid(), team: part.id, now })
  return true
}

/**
 * Locks the temporary keys of teams and their sub-accounts, before the teams themselves: a request by such a key holds it
 * (`holdStanding`), and then the team that it makes something in.
 */
async function lockTemporaryKeys(tx: Tx, teams: readonly TeamId[]): Promise<void> {
  const family = tx
    .selectFrom('teams')
    .select('id')
    .where((where) => where.or([where('id', 'in', teams), where('parent_id', 'in', teams)]))
  const keys = tx.selectFrom('api_keys').select('id').where('team_id', 'in', family).where('is_temporary', '=', true)
  await keys.where('revoked', 'is', null).orderBy('id').forUpdate().execute()
}

/** Makes a team end, and tells the worker to delete what it has. */
async function beginDeletion(tx: Tx, { id, team, now }: { id: string; team: TeamId; now: Date }): Promise<void> {
  tx.defer(tx.updateTable('teams').set({ closed: now }).where('id', '=', team))
  tx.defer(tx.updateTable('api_keys').set({ revoked: now }).where('team_id', '=', team).where('revoked', 'is', null))
  tx.defer(tx.deleteFrom('sessions').where('team_id', '=', team))
  tx.defer(tx.insertInto('deletions').values({ id, team_id: team, started: now }))
  await sql`update webhooks set status = 0 where team_id = ${team}`.execute(tx)
  await sql`update credential_batches set ended = ${now} where team_id = ${team} and ended is null`.execute(tx)
}
