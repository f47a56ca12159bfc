import { type SqlBool, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Reader, TeamScope, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { notFound } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import type { Page } from '../../platform/http/pagination.js'
import { NameText } from '../teams/team.shape.js'

export const SubAccount = Type.Object({
  id: Type.Integer({ description: 'The number of the sub-account' }),
  name: Type.Union([Type.String(), Type.Null()], { description: 'Its name' }),
  image: Type.String({ description: 'The text that was given for it; empty without one' }),
  monthlyLimit: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The limit of its transactions a month, within the plan of your team; null: none of its own',
  }),
  createdAt: Type.String({ description: 'The time of its making' }),
})
export type SubAccount = Static<typeof SubAccount>

const Image = Type.Union([Type.String({ maxLength: 65_536 }), Type.Null()], {
  description: 'An image of it, or any other text about it',
})
export const SubAccountRequest = Type.Object({
  name: NameText('The name of the sub-account'),
  image: Type.Optional(Image),
  monthlyLimit: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()], {
      description: 'The most transactions that it makes in a calendar month (UTC); null: as many as your plan has',
    }),
  ),
})

const id = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description })
export const SubAccountParams = Type.Object({ id: id('The number of a sub-account of yours') })
export const SubAccountKeyParams = Type.Object({
  id: id('The number of a sub-account of yours'),
  keyId: Type.String({ minLength: 1, maxLength: 200, description: 'The id of the key: its public part' }),
})

export const SUBACCOUNT_COLUMNS = ['id', 'name', 'image', 'monthly_limit', 'created'] as const

const subAccounts = (reader: Reader, parent: TeamId) =>
  reader.selectFrom('teams').select(SUBACCOUNT_COLUMNS).where('parent_id', '=', parent).where('closed', 'is', null)

type Row = Awaited<ReturnType<ReturnType<typeof subAccounts>['executeTakeFirstOrThrow']>>

export const told = ({ created, monthly_limit, ...row }: Row): SubAccount => ({
  ...row,
  monthlyLimit: monthly_limit,
  createdAt: created.toISOString(),
})

/** Returns the sub-accounts of a team, newest first. */
export async function subAccountsOf(reader: Reader, parent: TeamId, { offset, limit }: Page): Promise<SubAccount[]> {
  const rows = await subAccounts(reader, parent).orderBy('id', 'desc').offset(offset).limit(limit).execute()
  return rows.map(told)
}

export async function countOfSubAccounts(reader: Reader, parent: TeamId): Promise<number> {
  const { count } = await reader
    .selectFrom('teams')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('parent_id', '=', parent)
    .where('closed', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Tells whether a team has none above it, and lets nobody delete it before the transaction ends. @throws 404 when it was deleted */
export async function mayHaveSubAccounts(tx: Tx, team: TeamId): Promise<boolean> {
  const held = tx.selectFrom('teams').select('parent_id').where('id', '=', team).where('closed', 'is', null)
  const row = await held.forKeyShare().executeTakeFirst()
  if (!row) throw notFound('Team')
  return row.parent_id === null
}

/** @throws 404 for a number that is no sub-account of the team */
export async function subAccountOf(reader: Reader, parent: TeamId, number: number): Promise<Row> {
  const row = await subAccounts(reader, parent).where(sql<SqlBool>`id = ${number}`).executeTakeFirst()
  if (!row) throw notFound('Sub-account')
  return row
}

/** Finds a sub-account, and the scope in which its parent changes what is about it: its keys, never its contents. */
export async function managed(ctx: Context, number: number): Promise<{ child: TeamId; scope: TeamScope }> {
  const { id: child } = await ctx.db.read(ctx.scope, (reader) => subAccountOf(reader, ctx.team, number))
  return { child, scope: { ...ctx.scope, teams: [ctx.team, child] } }
}
