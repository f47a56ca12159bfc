import { sql } from 'kysely'
import type { TeamId } from '../../platform/database/ids.js'
import type { Sweep } from '../../platform/sweeps/sweep.js'

const WEEK_MS = 7 * 86_400_000

/** Tells teams of lasting keys that end within a week: of each end once. */
export const tellExpiringKeys: Sweep = async ({ db, clock }) => {
  const now = clock.now()
  await db.transaction('system', async (tx) => {
    const { rows } = await sql<{ team_id: TeamId; public_part: string; expires: Date }>`
      with told as (
        update service.api_keys set told_end = expires
        where revoked is null and told_end is distinct from expires and not is_temporary and created < expires - interval '7 days'
          and expires > ${now} and expires <= ${new Date(now.getTime() + WEEK_MS)}
        returning id, team_id, public_part, expires)
      select team_id, public_part, expires from told order by expires, id`.execute(tx)
    for (const { team_id, public_part, expires } of rows)
      tx.notify('key_expiring', { key: public_part, expires: expires.toISOString() }, team_id)
  })
}
