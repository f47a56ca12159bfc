import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'

export async function planOf(reader: Reader, team: TeamId): Promise<{ plan: string | null; isSubAccount: boolean }> {
  const { plan, parent_id } = await reader
    .selectFrom('teams')
    .select(['plan', 'parent_id'])
    .where('id', '=', team)
    .executeTakeFirstOrThrow()
  return { plan, isSubAccount: parent_id !== null }
}
