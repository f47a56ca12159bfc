import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { notFound } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import type { Page } from '../../platform/http/pagination.js'
import type { Team } from './team.shape.js'

const teams = (reader: Reader) =>
  reader
    .selectFrom('teams as t')
    .leftJoin('team_members as o', (join) => join.onRef('o.team_id', '=', 't.id').on('o.role', '=', 'owner'))
    .select(['t.id', 't.name', 't.parent_id', 't.created', 'o.user_id as owner'])
    .where('t.closed', 'is', null)

type Row = Awaited<ReturnType<ReturnType<typeof teams>['executeTakeFirstOrThrow']>>

const told = ({ id, name, parent_id, created, owner }: Row): Team => ({
  id,
  name,
  team_owner_id: owner,
  parentId: parent_id,
  created: created.toISOString(),
})

/** Returns the caller's own team when a path names it. @throws 404 for every other number */
export function ownTeam({ team }: Pick<Context, 'team'>, id: number): TeamId {
  if (id !== team) throw notFound('Team')
  return team
}

export async function teamOf(reader: Reader, team: TeamId): Promise<Team> {
  const row = await teams(reader).where('t.id', '=', team).executeTakeFirst()
  if (!row) throw notFound('Team')
  return told(row)
}

/** Returns the teams of a person, newest first; asked as the system. */
export async function teamsOfPerson(reader: Reader, userId: number, { offset, limit }: Page): Promise<Team[]> {
  const rows = await teams(reader)
    .innerJoin('team_members as m', 'm.team_id', 't.id')
    .where('m.user_id', '=', userId)
    .orderBy('t.id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
  return rows.map(told)
}
