import '../account.tables.js'
import { sql } from 'kysely'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { ApiError, notFound } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import type { Page } from '../../platform/http/pagination.js'
import { attemptsOfEach } from '../../platform/security/attempts.js'
import { hashKey } from '../../platform/security/authentication.js'
import { KEY_PREFIX } from '../../platform/security/key-prefix.js'
import { deliverSoon } from '../mail/deliver-mails.js'
import { queueMail } from '../mail/mail.store.js'
import { invitationMail } from '../mail/mails.js'
import type { TeamInvitation } from './team.shape.js'

/** So long an invitation can be accepted. */
export const INVITATION_MS = 7 * 86_400_000
const OF_TEAM = { most: 200, what: 'invitations of this team', windowSeconds: 86_400 }

const attemptsOf = attemptsOfEach()

const columns = ['id', 'email', 'status', 'role', 'created', 'sent', 'expires'] as const
const invitations = (reader: Reader, team: TeamId) =>
  reader.selectFrom('team_invitations').select(columns).where('team_id', '=', team)

type Row = Awaited<ReturnType<ReturnType<typeof invitations>['executeTakeFirstOrThrow']>>

const told = ({ created, sent, expires, ...row }: Row): TeamInvitation => ({
  ...row,
  created: created.toISOString(),
  sent: sent.toISOString(),
  expires: expires.toISOString(),
})

export async function invitationsOf(
  reader: Reader,
  team: TeamId,
  { offset, limit }: Page,
  status: TeamInvitation['status'] | undefined,
): Promise<TeamInvitation[]> {
  const rows = await invitations(reader, team)
    .$if(status !== undefined, (some) => some.where('status', '=', status ?? 'pending'))
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
  return rows.map(told)
}

/** Returns an invitation that nobody answered, locked. @throws 404 without one; 409 for one that was answered */
export async function lockOpenInvitation(tx: Tx, team: TeamId, id: number): Promise<Row> {
  const row = await invitations(tx, team).where('id', '=', id).forUpdate().executeTakeFirst()
  if (!row) throw notFound('Invitation')
  if (row.status !== 'pending') throw new ApiError('conflict', `The invitation was ${row.status} already`)
  return row
}

/** Cancels an invitation that nobody answered. */
export async function cancelInvitation(tx: Tx, { id, team }: { id: Row['id']; team: TeamId }): Promise<void> {
  tx.defer(
    tx.updateTable('team_invitations').set({ status: 'canceled' }).where('team_id', '=', team).where('id', '=', id),
  )
  await tx.audit({
    action: 'cancelTeamInvitation',
    subject: String(id),
    team,
    before: { status: 'pending' },
    after: { status: 'canceled' },
  })
}

interface Invited {
  email: string
  role: TeamInvitation['role']
}

/** A new token, what is stored of it, and the mail with it. */
function newToken(tx: Tx, ctx: Context, to: string, team: string | null) {
  const now = ctx.clock.now()
  attemptsOf(ctx).begin(`team ${ctx.team}`, now, OF_TEAM)
  const token = KEY_PREFIX.once[ctx.config.environment] + ctx.random.hex(32)
  const expires = new Date(now.getTime() + INVITATION_MS)
  queueMail(tx, ctx, invitationMail(ctx.config, { to, team, token }), { expires, team: ctx.team })
  return { hash: hashKey(token), sent: now, expires }
}

/** Invites an address. @throws 409 for one that is invited, or a member, already */
export async function invite(
  tx: Tx,
  ctx: Context,
  { email, role }: Invited,
  name: string | null,
): Promise<TeamInvitation> {
  const sent = newToken(tx, ctx, email, name)
  const { userId = null } = ctx.principal
  const row = await tx
    .insertInto('team_invitations')
    .values({ team_id: ctx.team, email, role, invited_by: userId, created: sent.sent, ...sent })
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns)
    .executeTakeFirst()
  if (!row) throw new ApiError('conflict', `${email} is invited already: send that invitation again, or cancel it`)
  await tx.audit({ action: 'inviteTeamMember', subject: String(row.id), after: { email, role } })
  return told(row)
}

/** Counts the people of a team, and those whom it has invited. */
export async function countOfPeople(reader: Reader, team: TeamId, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`select
    (select count(*) from service.team_members where team_id = ${team})
    + (select count(*) from service.team_invitations where team_id = ${team} and status = 'pending' and expires > ${now})
    as count`.execute(reader)
  return Number(rows[0]?.count ?? 0)
}

/** Sends an invitation again: the token of the mail before ends. */
export async function sendAgain(tx: Tx, ctx: Context, { id, email }: Row, name: string | null): Promise<void> {
  const sent = newToken(tx, ctx, email, name)
  tx.defer(tx.updateTable('team_invitations').set(sent).where('team_id', '=', ctx.team).where('id', '=', id))
  await tx.audit({
    action: 'resendTeamInvitation',
    subject: String(id),
    after: { expires: sent.expires.toISOString() },
  })
}

/** Sends what a transaction stored when it has committed. */
export const sendAfter = (tx: Tx, ctx: Context): void => tx.afterCommit(() => deliverSoon(ctx))

/** Returns the invitation of a token, locked; asked as the system. */
export function invitationOfToken(tx: Tx, token: string) {
  return tx
    .selectFrom('team_invitations as i')
    .innerJoin('teams as t', 't.id', 'i.team_id')
    .select(['i.id', 'i.email', 'i.status', 'i.role', 'i.expires', 't.id as team'])
    .where('i.hash', '=', hashKey(token))
    .where('t.closed', 'is', null)
    .forUpdate('i')
    .executeTakeFirst()
}
