import { Type } from 'typebox'
import { countOfSubAccounts } from '../../accounts/subaccounts/subaccount.store.js'
import { countOfPeople } from '../../accounts/teams/invitation.store.js'
import type { Reader } from '../../platform/database/database.js'
import type { Context } from '../../platform/http/context.js'
import { operation } from '../../platform/http/operation.js'
import { monthOf } from './month.js'
import { COUNTED } from './usage.shape.js'
import { countsOfMonth, onTheirWay, totalOf } from './usage.store.js'

const orNone = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })
const Used = (description: string) =>
  Type.Object(
    { limit: orNone('The most; null: no limit'), used: Type.Integer({ description: 'The number that is used' }) },
    { description },
  )

export const getLimits = operation({
  method: 'GET',
  url: '/data/limits',
  operationId: 'getLimits',
  tags: ['data'],
  summary: 'Get the limits of your plan',
  description: `${COUNTED} Beyond a limit: 402 limit_reached. Ledger actions on their way have their places already. Months are those of UTC. In a sandbox nothing is limited. A sub-account is under the plan of its parent, and sees the limit that its parent gave it alone.`,
  auth: 'account',
  role: 'member',
  tenancy: 'owned',
  response: {
    200: Type.Object({
      plan: Type.Union([Type.String(), Type.Null()], { description: 'The plan; null for a sub-account' }),
      month: Type.String({ description: 'The present month' }),
      transactions: Type.Object(
        {
          limit: orNone('The most in a month; null: no limit'),
          used: Type.Integer({ description: 'The transactions of this month' }),
          onTheirWay: Type.Integer({ description: 'Ledger actions that are not final yet' }),
        },
        { description: 'Those of this month' },
      ),
      members: Used('People, invited ones with them'),
      subAccounts: Used('Sub-accounts'),
      requests: Type.Object(
        {
          limit: orNone('The most; null: no limit'),
          seconds: Type.Integer({ description: 'The time that they count in' }),
        },
        { description: 'Requests of one key' },
      ),
    }),
  },
  handler: (ctx) => ctx.db.read(ctx.scope, (reader) => limitsOf(reader, ctx)),
})

async function limitsOf(reader: Reader, { team, principal, clock, config: { environment, plans, limits } }: Context) {
  const now = clock.now()
  const isLive = environment === 'production'
  const row = await reader
    .selectFrom('teams')
    .select(['plan', 'parent_id', 'monthly_limit'])
    .where('id', '=', team)
    .executeTakeFirstOrThrow()
  const month = monthOf(now)
  const [counts, waiting, members, subAccounts] = await Promise.all([
    countsOfMonth(reader, team, month),
    isLive ? onTheirWay(reader, row.parent_id ?? team, row.parent_id === null ? null : team, now) : 0,
    countOfPeople(reader, team, now),
    countOfSubAccounts(reader, team),
  ])
  const chosen = row.parent_id === null ? plans.of(row.plan) : undefined
  const plan = isLive ? chosen : undefined
  // The keys of a sub-account have the requests of the plan that pays.
  const requests = plans.of(principal.plan).requests ?? limits.requests
  return {
    plan: chosen?.name ?? null,
    month: month.name,
    transactions: {
      limit: row.parent_id === null ? (plan?.transactions ?? null) : isLive ? row.monthly_limit : null,
      used: totalOf(counts),
      onTheirWay: waiting,
    },
    members: { limit: plan?.members ?? null, used: members },
    subAccounts: { limit: plan?.subAccounts ?? null, used: subAccounts },
    requests: { limit: isLive && requests > 0 ? requests : null, seconds: limits.windowSeconds },
  }
}
