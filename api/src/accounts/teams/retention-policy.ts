import { type Static, Type } from 'typebox'
import { POLICIES, type Policy } from '../../platform/database/kept-data.js'
import type { JsonObject } from '../../platform/database/tables.js'

const HOUR_SECONDS = 3600
/** A hundred years. */
const LONGEST_SECONDS = 100 * 365 * 24 * HOUR_SECONDS

/** The seconds for which a policy keeps what a team set nothing for; null: for ever. */
export const DEFAULT_SECONDS: Readonly<Record<Policy, number | null>> = {
  verificationData: 72 * HOUR_SECONDS,
  verificationRequests: 72 * HOUR_SECONDS,
  credentialOffers: 72 * HOUR_SECONDS,
  credentials: null,
}

const KEPT: Readonly<Record<Policy, string>> = {
  verificationData: 'The data presented to verifications that ended',
  verificationRequests: 'Verification requests, but for their ids',
  credentialOffers: 'Offers of credentials that nobody claimed',
  credentials: 'The data about credentials that were issued, but for those that were persisted',
}

const seconds = (policy: Policy) =>
  Type.Union([Type.Integer({ minimum: HOUR_SECONDS, maximum: LONGEST_SECONDS }), Type.Null()], {
    description: `${KEPT[policy]}: for so many seconds; ${inWords(policy)}`,
  })

const inWords = (policy: Policy): string =>
  DEFAULT_SECONDS[policy] === null ? 'null: for ever' : 'null in a request: 72 hours'

/** The policies as they hold. */
export const RetentionPolicy = Type.Object(
  {
    verificationData: seconds('verificationData'),
    verificationRequests: seconds('verificationRequests'),
    credentialOffers: seconds('credentialOffers'),
    credentials: seconds('credentials'),
  },
  { description: 'The time for which data of four kinds is kept' },
)
export type RetentionPolicy = Static<typeof RetentionPolicy>

export const RetentionPolicyChange = Type.Partial(RetentionPolicy, {
  description: 'The policies that change; the others stay as they are',
})
export type RetentionPolicyChange = Static<typeof RetentionPolicyChange>

/** Returns the policies of a team, with the defaults of those that it did not set. */
export function policyOf(stored: JsonObject): RetentionPolicy {
  const of = (policy: Policy): number | null => {
    const set = stored[policy]
    return typeof set === 'number' ? set : DEFAULT_SECONDS[policy]
  }
  return {
    verificationData: of('verificationData'),
    verificationRequests: of('verificationRequests'),
    credentialOffers: of('credentialOffers'),
    credentials: of('credentials'),
  }
}

/** Returns what is stored after a change: null takes a policy back to its default. */
export function changedPolicy(stored: JsonObject, change: RetentionPolicyChange): JsonObject {
  const set = POLICIES.map(
    (policy) => [policy, change[policy] === undefined ? stored[policy] : change[policy]] as const,
  )
  return Object.fromEntries(set.flatMap(([policy, value]) => (typeof value === 'number' ? [[policy, value]] : [])))
}
