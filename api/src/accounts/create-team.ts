import { hashKey, KEY_PREFIX } from '../platform/authentication.js'
import type { Environment } from '../platform/context.js'
import type { Tx } from '../platform/database/database.js'
import type { Role } from '../platform/database/tables.js'
import type { TeamId } from '../platform/ids.js'

interface NewKey {
  team: TeamId
  role: Role
  alias?: string
  /** Addresses or CIDR ranges that may use it; none: any. */
  ips?: string[]
  createdBy?: number
}

/** Makes an API key. The key is in the answer and nowhere else: what is stored is its SHA-256. */
async function createApiKey(
  tx: Tx,
  { config, random }: Pick<Environment, 'config' | 'random'>,
  { team, role, alias, ips = [], createdBy }: NewKey,
): Promise<{ apiKey: string; keyId: number }> {
  const apiKey = `${KEY_PREFIX[config.environment]}${random.hex(32)}`
  const { id } = await tx
    .insertInto('api_keys')
    .values({
      team_id: team,
      hash: hashKey(apiKey),
      public_part: apiKey.slice(0, KEY_PREFIX[config.environment].length + 8),
      role,
      ips,
      alias: alias ?? null,
      created_by: createdBy ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { apiKey, keyId: id }
}

/** A team with its owner and a first key, of the given role. */
export async function createTeam(
  environment: Pick<Environment, 'config' | 'random' | 'db'>,
  { name, role = 'owner' }: { name: string; role?: Role },
): Promise<{ teamId: TeamId; apiKey: string }> {
  return environment.db.transaction('system', async (tx) => {
    const { id: teamId } = await tx.insertInto('teams').values({ name }).returning('id').executeTakeFirstOrThrow()
    const { id: userId } = await tx
      .insertInto('users')
      .values({ name: `Owner of ${name}`, email: null })
      .returning('id')
      .executeTakeFirstOrThrow()
    await tx.insertInto('team_members').values({ team_id: teamId, user_id: userId, role: 'owner' }).execute()
    const { apiKey } = await createApiKey(tx, environment, {
      team: teamId,
      role,
      alias: 'first key',
      createdBy: userId,
    })
    await tx.audit({ action: 'createTeam', subject: String(teamId), team: teamId })
    return { teamId, apiKey }
  })
}
