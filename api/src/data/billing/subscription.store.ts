import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { ApiError } from '../../platform/errors.js'

/** @throws 403 for a sub-account, whose parent pays */
export async function payingTeam(reader: Reader, team: TeamId): Promise<{ plan: string | null }> {
  const { plan, parent_id } = await reader
    .selectFrom('teams')
    .select(['plan', 'parent_id'])
    .where('id', '=', team)
    .executeTakeFirstOrThrow()
  if (parent_id !== null) throw new ApiError('forbidden', 'A sub-account is under the plan of its parent')
  return { plan }
}
