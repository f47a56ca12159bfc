import { type Static, Type } from 'typebox'
import type { Plan as ConfiguredPlan } from '../../plans.js'

const orNone = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })

const Plan = Type.Object({
  name: Type.String({ description: 'Its name' }),
  transactions: orNone('The transactions of a month; null: no limit'),
  members: orNone('People, invited ones with them; null: no limit'),
  subAccounts: orNone('Sub-accounts; null: no limit'),
  requests: orNone('The requests of a key in the time that GET /data/limits tells; null: as the deployment has it'),
})

export const Subscription = Type.Object({
  plan: Type.Union([Type.String(), Type.Null()], { description: 'The present plan; null for a sub-account' }),
  plans: Type.Array(Plan, { description: 'The plans that can be chosen' }),
})
export type Subscription = Static<typeof Subscription>

const told = ({ isOffered: _, ...plan }: ConfiguredPlan) => plan

export const subscriptionTo = (name: string, plans: readonly ConfiguredPlan[]): Subscription => ({
  plan: name,
  plans: plans.filter(({ isOffered }) => isOffered).map(told),
})

/** The answer to a sub-account, whose parent pays. */
export const NO_SUBSCRIPTION: Subscription = { plan: null, plans: [] }
