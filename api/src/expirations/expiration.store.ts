import './expiration.tables.js'
import { type RawBuilder, sql } from 'kysely'
import type { Reader, Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import type { Page } from '../platform/http/pagination.js'

export const EXPIRING = ['key', 'team_invitation', 'invitation'] as const
export type Expiring = (typeof EXPIRING)[number]

/** Something of a team that will be over. */
export interface Expiration {
  kind: Expiring
  id: string
  /** The trust registry of an invitation. */
  registryId: string | null
  expires: Date
}

/**
 * The rows `(team_id, kind, id, registry_id, since, expires)` of all that is open; asked as the system. Temporary keys
 * are left out: they go with a person's work. **A new kind of thing that expires** takes its branch here.
 */
const open: RawBuilder<unknown> = sql`
  select k.team_id, 'key' as kind, k.public_part as id, null::text as registry_id, k.created as since, k.expires
  from service.api_keys k where k.revoked is null and not k.is_temporary and k.expires is not null
  union all
  select i.team_id, 'team_invitation', i.id::text, null, i.sent, i.expires
  from service.team_invitations i where i.status = 'pending'
  union all
  select p.team_id, 'invitation', p.id, p.registry_id, p.created, p.expires
  from service.participant_invitations p
  where not exists (select from service.invitation_uses u where u.nonce = p.id)`

export interface ExpirationFilter {
  kind?: Expiring | undefined
  until?: Date | undefined
}

/** Returns what of a team is over next, the soonest first; asked as the system. */
export async function expirationsOf(
  reader: Reader,
  { team, now }: { team: TeamId; now: Date },
  { kind, until }: ExpirationFilter,
  { offset, limit }: Page,
): Promise<Expiration[]> {
  const { rows } = await sql<Expiration>`
    select e.kind, e.id, e.registry_id as "registryId", e.expires from (${open}) e
    where e.team_id = ${team} and e.expires > ${now}::timestamptz
      and (${kind ?? null}::text is null or e.kind = ${kind ?? null})
      and (${until ?? null}::timestamptz is null or e.expires <= ${until ?? null}::timestamptz)
    order by e.expires, e.kind, e.id offset ${offset} limit ${limit}`.execute(reader)
  return rows
}

/** The notice comes so long before the end, or with the last quarter of a shorter life. */
const NOTICE = sql`interval '7 days'`
/** A shorter life ends before anybody could act on a notice. */
const SHORT = sql`interval '1 day'`

export interface Noticed extends Expiration {
  team: TeamId
}

/** Notes what is about to be over, and was not told of yet, at most so many; asked as the system. */
export async function noteExpiring(tx: Tx, now: Date, most: number): Promise<Noticed[]> {
  const { rows } = await sql<Noticed>`
    with due as (
      select e.* from (${open}) e join service.teams t on t.id = e.team_id and t.closed is null
      where e.expires > ${now}::timestamptz and e.expires <= ${now}::timestamptz + ${NOTICE}
        and e.expires - least(${NOTICE}, (e.expires - e.since) / 4) <= ${now}::timestamptz and e.expires - e.since >= ${SHORT}
        and not exists (select from service.expiry_notices n where n.kind = e.kind and n.id = e.id and n.expires = e.expires)
      order by e.expires limit ${most}),
    noted as (
      insert into service.expiry_notices (kind, id, expires, team_id, told)
      select kind, id, expires, team_id, ${now}::timestamptz from due on conflict do nothing returning kind, id, expires)
    select due.team_id as team, due.kind, due.id, due.registry_id as "registryId", due.expires
    from noted join due using (kind, id, expires) order by due.expires, due.kind, due.id`.execute(tx)
  return rows
}

/** A status list of which little is left. */
export interface FillingList {
  team: TeamId
  id: string
  used: number
  length: number
}

/** Notes lists of which four fifths are used, and that were not told of yet; asked as the system. */
export async function noteFilling(tx: Tx, now: Date): Promise<FillingList[]> {
  const { rows } = await sql<FillingList>`
    with filling as (
      select r.team_id, r.id, r.length, u.used from service.revocation_registries r
      cross join lateral (select count(*)::int as used from service.status_entries s where s.registry_id = r.id) u
      where r.status = 'active' and u.used >= r.length * 0.8
        and not exists (select from service.expiry_notices n
          where n.kind = 'status_list' and n.id = r.id and n.expires = 'infinity')),
    noted as (
      insert into service.expiry_notices (kind, id, expires, team_id, told)
      select 'status_list', id, 'infinity', team_id, ${now}::timestamptz from filling on conflict do nothing returning id)
    select f.team_id as team, f.id, f.used, f.length from noted join filling f using (id) order by f.id`.execute(tx)
  return rows
}
