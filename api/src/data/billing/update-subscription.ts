import { Type } from 'typebox'
import { lockPlaces } from '../../accounts/plan-places.js'
import { holdStanding } from '../../accounts/standing.js'
import { countOfSubAccounts } from '../../accounts/subaccounts/subaccount.store.js'
import { countOfPeople } from '../../accounts/teams/invitation.store.js'
import type { Plan } from '../../plans.js'
import type { Tx } from '../../platform/database/database.js'
import { ApiError, invalid } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { operation } from '../../platform/http/operation.js'
import { Subscription, subscriptionTo } from './subscription.shape.js'
import { planOf } from './subscription.store.js'

export const updateSubscription = operation({
  method: 'PATCH',
  url: '/data/subscription',
  operationId: 'updateSubscription',
  tags: ['data'],
  summary: 'Choose another plan',
  description:
    'It counts from now on, for what was used in this month too. A plan for fewer people or sub-accounts than there are is 409. In a sandbox no plan limits anything.',
  auth: 'account',
  role: 'owner',
  tenancy: 'owned',
  body: Type.Object({ plan: Type.String({ minLength: 1, maxLength: 64, description: 'The name of a plan' }) }),
  record: Subscription,
  examples: { 'The standard plan': { plan: 'standard' } },
  response: { 200: Subscription },
  errors: ['forbidden'],
  handler: async (ctx, { body: { plan: name } }) => {
    const { environment, plans } = ctx.config
    const offered = plans.all.filter(({ isOffered }) => isOffered)
    const plan = offered.find((one) => one.name === name)
    if (plan === undefined)
      throw invalid(`plan must be one of ${offered.map((one) => one.name).join(', ')}`, { field: 'plan' })
    return ctx.db.transaction(ctx.scope, async (tx) => {
      await holdStanding(tx, ctx)
      const { plan: present, isSubAccount } = await planOf(tx, ctx.team)
      if (isSubAccount) throw new ApiError('forbidden', 'A sub-account is under the plan of its parent')
      const before = plans.of(present).name
      if (environment === 'production') await requireRoom(tx, ctx, plan)
      tx.defer(tx.updateTable('teams').set({ plan: name }).where('id', '=', ctx.team))
      await tx.audit({
        action: 'updateSubscription',
        subject: String(ctx.team),
        before: { plan: before },
        after: { plan: name },
      })
      if (before !== name) tx.notify('plan_changed', { from: before, to: name })
      return tx.answer(subscriptionTo(name, plans.all))
    })
  },
})

async function requireRoom(tx: Tx, { team, clock }: Context, { members, subAccounts }: Plan): Promise<void> {
  // Places that are taken at this moment, under the plan that was chosen before, are counted.
  for (const what of ['members', 'subAccounts'] as const) await lockPlaces(tx, team, what)
  const people = await countOfPeople(tx, team, clock.now())
  if (members !== null && people > members)
    throw new ApiError('conflict', `The plan is for ${members} people, and the team has or invited ${people}`)
  const children = await countOfSubAccounts(tx, team)
  if (subAccounts !== null && children > subAccounts)
    throw new ApiError('conflict', `The plan is for ${subAccounts} sub-accounts, and the team has ${children}`)
}
