import { type RawBuilder, sql } from 'kysely'

/**
 * Tells that nothing of a team goes to anybody now: it ends, or erases something that may stand in what waits. What is
 * there no more when that is done is never sent. The teams that erase are read once for a statement.
 */
export const isHeld = (team: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`(${team} in (select e.team_id from service.erasures e where e.ended is null)
    or exists (select from service.teams t where t.id = ${team} and t.closed is not null))`
