import type { Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import type { Role } from '../platform/database/tables.js'
import type { Environment } from '../platform/http/context.js'
import { createApiKey } from './keys/api-key.js'

interface Made {
  teamId: TeamId
  apiKey: string
}
type Needs = Pick<Environment, 'config' | 'random' | 'db'>

/** Creates a team with its owner and a first key of the given role. */
export const createTeam = (
  environment: Needs,
  { name, role = 'owner' }: { name: string; role?: Role },
): Promise<Made> => environment.db.transaction('system', (tx) => insertTeam(tx, environment, name, role))

/**
 * Makes a key of an owner for the oldest team, for an operator who lost the one before. Makes a team where there is
 * none.
 */
export const keyOfFirstTeam = (environment: Needs, name: string): Promise<Made> =>
  environment.db.transaction('system', async (tx) => {
    const first = await tx.selectFrom('teams').select('id').orderBy('id').limit(1).executeTakeFirst()
    if (!first) return insertTeam(tx, environment, name, 'owner')
    const { apiKey } = await createApiKey(tx, environment, { team: first.id, role: 'owner', alias: 'made at a start' })
    await tx.audit({ action: 'createKey', subject: String(first.id), team: first.id, after: { role: 'owner' } })
    return { teamId: first.id, apiKey }
  })

async function insertTeam(tx: Tx, environment: Needs, name: string, role: Role): Promise<Made> {
  const { id: teamId } = await tx.insertInto('teams').values({ name }).returning('id').executeTakeFirstOrThrow()
  const { id: userId } = await tx
    .insertInto('users')
    .values({ name: `Owner of ${name}`, email: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx.insertInto('team_members').values({ team_id: teamId, user_id: userId, role: 'owner' }).execute()
  const { apiKey } = await createApiKey(tx, environment, { team: teamId, role, alias: 'first key', createdBy: userId })
  await tx.audit({ action: 'createTeam', subject: String(teamId), team: teamId, after: { name } })
  return { teamId, apiKey }
}
