import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { invalid } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'

export const Deleted = Type.Object({
  code: Type.Integer({ description: '200: it is begun, and cannot be taken back' }),
  deletions: Type.Array(Type.String(), {
    description: 'The ids of the deletions, for GET /data/deletions/{id}: your keys and sessions open nothing any more',
  }),
})
export type Deleted = Static<typeof Deleted>

export const Validation = Type.String({
  minLength: 1,
  maxLength: 256,
  description:
    'Your e-mail address; with a key, that of the owner of the team. A team whose owner has none is named instead',
})

/** Returns the text that proves that a deletion is meant. */
async function expected(reader: Reader, { principal, team }: Context): Promise<string | null> {
  const owner = principal.kind === 'session' ? principal.userId : null
  const { rows } = await sql<{ text: string | null }>`select coalesce(u.email, t.name) as text
    from service.teams t
    left join service.team_members m on m.team_id = t.id and m.role = 'owner'
    left join service.users u on u.id = coalesce(${owner}::bigint, m.user_id)
    where t.id = ${team satisfies TeamId}`.execute(reader)
  return rows[0]?.text ?? null
}

/** @throws 400 for a validation that is another text */
export async function requireMeant(reader: Reader, ctx: Context, validation: string): Promise<void> {
  const text = await expected(reader, ctx)
  if (text?.trim().toLowerCase() !== validation.trim().toLowerCase())
    throw invalid('validation is not the e-mail address of this account', { field: 'validation' })
}
