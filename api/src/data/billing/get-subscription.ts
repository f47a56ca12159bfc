import { operation } from '../../platform/http/operation.js'
import { NO_SUBSCRIPTION, Subscription, subscriptionTo } from './subscription.shape.js'
import { payingTeam } from './subscription.store.js'

export const getSubscription = operation({
  method: 'GET',
  url: '/data/subscription',
  operationId: 'getSubscription',
  tags: ['data'],
  summary: 'Get your plan',
  description: 'The plan of your team, and those that you can choose. A sandbox has none.',
  auth: 'account',
  role: 'owner',
  tenancy: 'owned',
  response: { 200: Subscription },
  errors: ['forbidden'],
  handler: async (ctx) => {
    const { environment, plans } = ctx.config
    const { plan } = await ctx.db.read(ctx.scope, (reader) => payingTeam(reader, ctx.team))
    return environment === 'production' ? subscriptionTo(plans.of(plan).name, plans.all) : NO_SUBSCRIPTION
  },
})
