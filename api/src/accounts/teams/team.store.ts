import type { Static } from 'typebox'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { KEPT_DATA, POLICIES, type Policy } from '../../platform/database/kept-data.js'
import { type JsonObject, json } from '../../platform/database/tables.js'
import { notFound } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import type { Page } from '../../platform/http/pagination.js'
import { changedPolicy, policyOf } from './retention-policy.js'
import type { Team, TeamChange } from './team.shape.js'

const teams = (reader: Reader) =>
  reader
    .selectFrom('teams as t')
    .leftJoin('team_members as o', (join) => join.onRef('o.team_id', '=', 't.id').on('o.role', '=', 'owner'))
    .select(['t.id', 't.name', 't.parent_id', 't.created', 't.retention_policy', 't.store_subject_ref'])
    .select('o.user_id as owner')
    .where('t.closed', 'is', null)

type Row = Awaited<ReturnType<ReturnType<typeof teams>['executeTakeFirstOrThrow']>>

const told = ({ id, name, parent_id, created, owner, retention_policy, store_subject_ref }: Row): Team => ({
  id,
  name,
  team_owner_id: owner,
  parentId: parent_id,
  created: created.toISOString(),
  retentionPolicy: policyOf(retention_policy),
  notYetEnforced: NOT_YET_ENFORCED,
  storeSubjectRef: store_subject_ref,
})

const ENFORCED = new Set(
  Object.values(KEPT_DATA).flatMap(({ retention }) => (retention.until === 'policy' ? [retention.policy] : [])),
)
/** The policies that no table of the service has rows for. */
const NOT_YET_ENFORCED: Policy[] = POLICIES.filter((policy) => !ENFORCED.has(policy))

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

/** The settings of a team, as the audit tells them. */
export const settingsOf = ({ name, retentionPolicy, storeSubjectRef }: Team): JsonObject => ({
  name,
  retentionPolicy,
  storeSubjectRef,
})

/** Changes a team that the transaction may see; without `storeSubjectRef` the ids of subjects are forgotten. */
export async function changeTeam(tx: Tx, team: TeamId, change: Static<typeof TeamChange>): Promise<void> {
  const { name, retentionPolicy = {}, storeSubjectRef } = change
  const row = tx.selectFrom('teams').select('retention_policy').where('id', '=', team).forUpdate()
  const { retention_policy } = await row.executeTakeFirstOrThrow()
  await tx
    .updateTable('teams')
    .set({
      name: name.trim(),
      retention_policy: json(changedPolicy(retention_policy, retentionPolicy)),
      ...(storeSubjectRef !== undefined && { store_subject_ref: storeSubjectRef }),
    })
    .where('id', '=', team)
    .execute()
}
