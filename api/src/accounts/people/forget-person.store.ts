import '../account.tables.js'
import { type RawBuilder, sql } from 'kysely'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { KEPT_DATA } from '../../platform/database/kept-data.js'
import type { Environment } from '../../platform/http/context.js'
import { recipientMark } from '../mail/mail.store.js'
import { endHoldings } from '../teams/holdings.store.js'
import { INVITATION_MS } from '../teams/invitation.store.js'
import { LINK_MS } from './sign-in.store.js'

type Until = Date | 'infinity'

interface Leaving {
  id: number
  email: string | null
  /** Later mails and invitations to the address stay: a line of the journal tells of somebody who may be invited anew by now. */
  until?: Until
}

/** The tables with rows of a person, beside that of people. */
const OF_PEOPLE = Object.entries(KEPT_DATA).flatMap(([table, { retention }]) =>
  retention.until === 'person' && table !== 'users' ? [table] : [],
)

/**
 * Locks the parts that a person has in teams: what the person makes in them at this moment is there before, and a team that
 * is given to the person, or by the person, is the one's or the other's.
 */
export async function lockMemberships(tx: Tx, userId: number): Promise<void> {
  const places = tx.selectFrom('team_members').select('team_id').where('user_id', '=', userId)
  await places.orderBy('team_id').forUpdate().execute()
}

/**
 * Forgets a person, in all teams; asked as the system. Keys that the person made for a team stay, without a maker, and so
 * does what the person did there, also with a temporary key, by a number that is nobody's any more.
 */
export async function forgetPerson(
  tx: Tx,
  services: Pick<Environment, 'deriveKey' | 'clock' | 'events'>,
  { id, email, until = 'infinity' }: Leaving,
): Promise<void> {
  await lockMemberships(tx, id)
  endHoldings(tx, id, 'all teams', services.clock.now())
  if (email !== null) await forgetAnswers(tx, services, { id, email: email.toLowerCase(), until })
  tx.defer(tx.deleteFrom('sessions').where('user_id', '=', id))
  for (const table of OF_PEOPLE)
    await sql`delete from ${sql.table(`service.${table}`)} where user_id = ${id}`.execute(tx)
  // The profile has the name of an actor.
  const own = [String(id), `user:${id}`]
  await sql`update service.audit set address = null,
      before = case when subject = any(${own}::text[]) then null else before end,
      after = case when subject = any(${own}::text[]) then null else after end
    where actor = any(array(select ${`user:${id}`} union all
      select 'key:' || k.id from service.api_keys k where k.created_by = ${id} and k.is_temporary))`.execute(tx)
  if (email !== null) await forgetAddress(tx, services, email.toLowerCase(), until)
  await tx.deleteFrom('users').where('id', '=', id).execute()
}

const isBefore = (made: RawBuilder<unknown>, until: Until) => sql<boolean>`${made} <= ${until}::timestamptz`

/**
 * Forgets what answers that are kept for retries tell of an address, in the teams that it was in or was invited to: those
 * to requests that came until then.
 */
async function forgetAnswers(
  tx: Tx,
  { events }: Pick<Environment, 'events'>,
  { id, email, until }: { id: number | null; email: string; until: Until },
): Promise<void> {
  const { rows } = await sql<{ team: TeamId }>`
    select team_id as team from service.team_members where user_id = ${id}::bigint
    union select team_id from service.team_invitations where lower(email) = ${email}`.execute(tx)
  for (const { team } of rows)
    await sql`update service.idempotency_keys set sealed = null, marks = null, state = 'secret'
      where team_id = ${team} and marks && ${events.marksOf(team, [email])}::bytea[]
        and ${isBefore(sql`created`, until)}`.execute(tx)
}

/** Forgets an address, also where it was invited and nobody accepted, in what was made until then. */
async function forgetAddress(
  tx: Tx,
  services: Pick<Environment, 'deriveKey'>,
  email: string,
  until: Until,
): Promise<void> {
  const isIt = sql<boolean>`lower(email) = ${email}`
  tx.defer(tx.deleteFrom('sign_in_links').where(isIt).where(isBefore(LINK_MADE, until)))
  tx.defer(tx.deleteFrom('team_invitations').where(isIt).where(isBefore(sql`sent`, until)))
  const mails = tx.deleteFrom('outgoing_mails').where('recipient', '=', recipientMark(services, email))
  tx.defer(mails.where(isBefore(MAIL_MADE, until)))
  await sql`update service.audit set after = after - 'email'
    where action = 'inviteTeamMember' and after ->> 'email' = ${email} and ${isBefore(sql`at`, until)}`.execute(tx)
}

const LINK_MADE = sql`expires - ${`${LINK_MS} ms`}::interval`
/** A mail ends with what it has the token of: an invitation, which a team sends, or a link. An attempt moves no end. */
const MAIL_MADE = sql`expires - (case when team_id is null then ${`${LINK_MS} ms`} else ${`${INVITATION_MS} ms`} end)::interval`

/** Forgets an address whose person is not here, in what was made until then; asked as the system. */
export async function forgetInvited(
  tx: Tx,
  services: Pick<Environment, 'deriveKey' | 'events'>,
  { email, until }: { email: string; until: Date },
): Promise<void> {
  await forgetAnswers(tx, services, { id: null, email, until })
  await forgetAddress(tx, services, email, until)
}

/** An address that stands somewhere without a person, and when the first of it was made. */
export interface StrayAddress {
  email: string
  since: Date
}

/** Returns so many addresses that were invited, or asked for a link, in their order after another one; asked as the system. */
export async function strayAddresses(reader: Reader, after: string, most: number): Promise<StrayAddress[]> {
  const { rows } = await sql<StrayAddress>`select a.email, min(a.since) as since from (
      (select lower(email) as email, min(sent) as since from service.team_invitations
        where lower(email) > ${after} group by 1 order by 1 limit ${most})
      union all
      (select lower(email), min(${LINK_MADE}) from service.sign_in_links
        where lower(email) > ${after} group by 1 order by 1 limit ${most})
      union all
      (select after ->> 'email', min(at) from service.audit
        where action = 'inviteTeamMember' and after ->> 'email' > ${after} group by 1 order by 1 limit ${most})) a
    group by 1 order by 1 limit ${most}`.execute(reader)
  return rows
}
