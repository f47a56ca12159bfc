import './account.tables.js'
import type { Tx } from '../platform/database/database.js'
import { isAtLeast, type Role } from '../platform/database/tables.js'
import { ApiError } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { unauthorized } from '../platform/security/authentication.js'
import type { KeyPrincipal, SessionPrincipal } from '../platform/security/principal.js'

/**
 * Holds what the caller acts by until the transaction ends: whoever removes the person, or gives another role, waits, and
 * finds what the transaction made. A caller is remembered for a second, and so one who is no more could leave behind
 * something that opens for longer: what makes keys, invitations, sessions or roles begins with this.
 *
 * @throws 401 when the key or the session ended meanwhile; 403 when the role is smaller by now
 */
export async function holdStanding(tx: Tx, { principal }: Pick<Context, 'principal'>): Promise<void> {
  const role = principal.kind === 'session' ? await roleOfSession(tx, principal) : await roleOfKey(tx, principal)
  if (role === undefined) throw unauthorized('What the request was sent with has ended')
  if (!isAtLeast(role, principal.role)) throw new ApiError('forbidden', `Your role is ${role} by now`)
}

async function roleOfSession(tx: Tx, { sessionId, userId, team }: SessionPrincipal): Promise<Role | undefined> {
  const member = tx
    .selectFrom('team_members')
    .select('role')
    .where('team_id', '=', team)
    .where('user_id', '=', userId)
    .forKeyShare()
  const session = tx.selectFrom('sessions').select('id').where('id', '=', sessionId)
  const [held, open] = await Promise.all([member.executeTakeFirst(), session.executeTakeFirst()])
  return open && held?.role
}

/** A temporary key is held: it is revoked with what its person holds, and then nothing more is made with it. */
async function roleOfKey(tx: Tx, { keyId, userId }: KeyPrincipal): Promise<Role | undefined> {
  const key = tx.selectFrom('api_keys').select('role').where('id', '=', keyId).where('revoked', 'is', null)
  return (await (userId === undefined ? key : key.forShare()).executeTakeFirst())?.role
}
