import type { Reader, Tx } from '../../platform/database/database.js'
import type { Context } from '../../platform/http/context.js'

export interface OwnProfile {
  name: string
  image: string
}

/** The profile of the caller: with a session the person's, with a key the team's. */
export async function ownProfileOf(reader: Reader, { principal, team }: Pick<Context, 'principal' | 'team'>) {
  if (principal.kind === 'session')
    return reader
      .selectFrom('users')
      .select(['name', 'image'])
      .where('id', '=', principal.userId)
      .executeTakeFirstOrThrow()
  const { name, image } = await reader
    .selectFrom('teams')
    .select(['name', 'image'])
    .where('id', '=', team)
    .executeTakeFirstOrThrow()
  return { name: name ?? '', image }
}

/** Changes it; that of a person is asked as the system, since it is no row of a team. */
export function changeOwnProfile(
  tx: Tx,
  { principal, team }: Pick<Context, 'principal' | 'team'>,
  changed: Partial<OwnProfile>,
): void {
  tx.defer(
    principal.kind === 'session'
      ? tx.updateTable('users').set(changed).where('id', '=', principal.userId)
      : tx.updateTable('teams').set(changed).where('id', '=', team),
  )
}
