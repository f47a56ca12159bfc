import '../account.tables.js'
import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { isAtLeast } from '../../platform/database/tables.js'
import type { Context } from '../../platform/http/context.js'
import { ApiKey } from '../keys/key.shape.js'
import { endKeys, type KeysOf, lastingKeys } from '../keys/key.store.js'

/** A key of a team, or of one of its sub-accounts. */
export const FamilyKey = Type.Object({
  ...ApiKey.properties,
  subaccount: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The sub-account whose key it is; null: it is one of the team itself',
  }),
})
type FamilyKey = Static<typeof FamilyKey>

/**
 * Lets a change in a team reach its sub-accounts. It comes after the lock of the person that the change is about: what
 * the person made in any of them is there by then.
 */
export async function seeSubAccounts(tx: Tx, team: TeamId): Promise<void> {
  const children = await tx.selectFrom('teams').select('id').where('parent_id', '=', team).execute()
  tx.alsoSees(children.map(({ id }) => id))
}

/**
 * Ends what a person holds by the present role: temporary keys, also those of sub-accounts, and invitations that nobody
 * accepted yet. Whoever calls it has locked the person's part in the team, or in all of them.
 *
 * @param of a team, or all teams of the person
 */
export function endHoldings(tx: Tx, userId: number, of: TeamId | 'all teams', now: Date): void {
  const inTeam = of === 'all teams' ? sql<boolean>`true` : sql<boolean>`team_id = ${of}`
  const inFamily =
    of === 'all teams'
      ? inTeam
      : sql<boolean>`team_id in (select t.id from service.teams t where t.id = ${of} or t.parent_id = ${of})`
  tx.defer(
    tx
      .updateTable('api_keys')
      .set({ revoked: now })
      .where('created_by', '=', userId)
      .where('is_temporary', '=', true)
      .where('revoked', 'is', null)
      .where(inFamily),
  )
  tx.defer(
    tx
      .updateTable('team_invitations')
      .set({ status: 'canceled' })
      .where('invited_by', '=', userId)
      .where('status', '=', 'pending')
      .where(inTeam),
  )
}

/** Returns the lasting keys of concern that stay; revokes those that the caller may, where that is wanted. */
export async function keysThatStay(
  tx: Tx,
  ctx: Context,
  { of, revokeKeys }: { of: KeysOf; revokeKeys: boolean },
): Promise<FamilyKey[]> {
  const keys = await lastingKeys(tx, ctx.team, of, ctx.clock.now())
  const ended = revokeKeys ? keys.filter(({ key }) => isAtLeast(ctx.principal.role, key.role)) : []
  await endKeys(tx, ctx, ended)
  return keys
    .filter((one) => !ended.includes(one))
    .map(({ team, key }) => ({ ...key, subaccount: team === ctx.team ? null : team }))
}
