import { type RawBuilder, sql } from 'kysely'

/**
 * Tells that nothing of a team goes to anybody now: it ends, or erases something that may stand in what waits. What is
 * there no more when that is done is never sent. The teams that erase are read once for a statement.
 */
export const isHeld = (team: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`(${team} in (select e.team_id from service.erasures e where e.ended is null)
    or exists (select from service.teams t where t.id = ${team} and t.closed is not null))`

/** The time after which what waits is late. */
export const LATE = sql`interval '10 minutes'`

/** Tells that what waits of a team is not late, however old: it is held, or was, and had no time to leave since. */
export const isExcused = (team: RawBuilder<unknown>, now: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`(${isHeld(team)}
    or exists (select from service.erasures e where e.team_id = ${team} and e.ended >= ${now} - ${LATE}))`
