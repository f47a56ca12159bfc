import type { Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import { lockByName } from '../platform/database/lock-by-name.js'
import { ApiError } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'

interface Wanted {
  team: TeamId
  what: 'members' | 'subAccounts'
  /** The number of those that are added. */
  more: number
  /** Counts those that are there. */
  count(): Promise<number>
}

const NAMES = { members: 'people', subAccounts: 'sub-accounts' } as const

/** Lets nobody take places of a plan, or choose another plan, before the transaction ends. */
export const lockPlaces = (tx: Tx, team: TeamId, what: Wanted['what']): Promise<void> =>
  lockByName(tx, `service.plans ${what} ${team}`)

/**
 * Takes places in the plan of a team, up to the end of the transaction: those who come at the same time wait for each
 * other. A sandbox has no plans.
 *
 * @throws 402 where the plan has not so many left
 */
export async function requirePlaces(
  tx: Tx,
  { config }: Pick<Context, 'config'>,
  { team, what, more, count }: Wanted,
): Promise<void> {
  if (config.environment !== 'production') return
  await lockPlaces(tx, team, what)
  const { plan, parent_id } = await tx
    .selectFrom('teams')
    .select(['plan', 'parent_id'])
    .where('id', '=', team)
    .executeTakeFirstOrThrow()
  // People are in the teams of their own plan; a sub-account has none beside the keys that its parent makes.
  const most = parent_id === null ? config.plans.of(plan)[what] : null
  if (most !== null && (await count()) + more > most)
    throw new ApiError('limit_reached', `The plan includes ${most} ${NAMES[what]}`)
}
