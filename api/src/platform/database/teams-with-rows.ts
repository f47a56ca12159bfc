import { type RawBuilder, sql } from 'kysely'

/**
 * Returns `waiting (team)` for a `with recursive`: the teams that have such rows. Each is found by one step in an index
 * that begins with the team, however many rows it has.
 */
export const teamsWithRows = (table: string, where: RawBuilder<unknown> = sql`true`): RawBuilder<unknown> => {
  const rows = sql.table(`service.${table}`)
  return sql`waiting (team) as (
    (select team_id from ${rows} where ${where} order by team_id limit 1)
    union all
    select (select r.team_id from ${rows} r where ${where} and r.team_id > waiting.team order by r.team_id limit 1)
    from waiting where waiting.team is not null)`
}
