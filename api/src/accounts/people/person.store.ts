import { sql } from 'kysely'
import type { Reader, TeamScope, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { Role } from '../../platform/database/tables.js'

interface Person {
  id: number
  email: string | null
  name: string
  created: Date
}

const people = (reader: Reader) => reader.selectFrom('users').select(['id', 'email', 'name', 'created'])

export const personOf = (reader: Reader, userId: number): Promise<Person> =>
  people(reader).where('id', '=', userId).executeTakeFirstOrThrow()

/** Returns the person with an address, who is made where there is none; asked as the system. */
export async function personWith(tx: Tx, email: string, name: string | undefined): Promise<Person> {
  const find = () => people(tx).where(sql<string>`lower(email)`, '=', email).executeTakeFirst()
  const known = await find()
  if (known) return known
  const made = { email, name: name?.trim() ?? email.split('@')[0] ?? email }
  // Another request may make the same person at this moment.
  await tx
    .insertInto('users')
    .values(made)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await find()) ?? Promise.reject(new Error('the person was not made'))
}

type By = Pick<TeamScope, 'actor' | 'address' | 'requestId'>

/** Makes a team with its owner; asked as the system. */
export async function insertOwnedTeam(
  tx: Tx,
  { name, userId, by }: { name: string; userId: number; by: By },
): Promise<TeamId> {
  const { id: team } = await tx.insertInto('teams').values({ name }).returning('id').executeTakeFirstOrThrow()
  await tx.insertInto('team_members').values({ team_id: team, user_id: userId, role: 'owner' }).execute()
  await tx.audit({ action: 'createTeam', subject: String(team), team, by, after: { name } })
  return team
}

/** Returns the team in which a person begins: the oldest that the person owns, else the oldest at all. */
export function firstTeamOf(reader: Reader, userId: number): Promise<{ team: TeamId; role: Role } | undefined> {
  return reader
    .selectFrom('team_members as m')
    .innerJoin('teams as t', 't.id', 'm.team_id')
    .select(['t.id as team', 'm.role'])
    .where('m.user_id', '=', userId)
    .where('t.closed', 'is', null)
    .orderBy(sql`m.role = 'owner'`, 'desc')
    .orderBy('t.id')
    .limit(1)
    .executeTakeFirst()
}
