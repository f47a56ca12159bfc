import { operation } from '../../platform/http/operation.js'
import { NO_SUBSCRIPTION, Subscription, subscriptionTo } from './subscription.shape.js'
import { planOf } from './subscription.store.js'

export const getSubscription = operation({
  method: 'GET',
  url: '/data/subscription',
  operationId: 'getSubscription',
  tags: ['data'],
  summary: 'Get your plan',
  description:
    'The plan of your team, and those that you can choose. A sub-account is under the plan of its parent, and chooses none. In a sandbox no plan limits anything.',
  auth: 'account',
  role: 'owner',
  tenancy: 'owned',
  response: { 200: Subscription },
  handler: async (ctx) => {
    const { plans } = ctx.config
    const { plan, isSubAccount } = await ctx.db.read(ctx.scope, (reader) => planOf(reader, ctx.team))
    return isSubAccount ? NO_SUBSCRIPTION : subscriptionTo(plans.of(plan).name, plans.all)
  },
})
