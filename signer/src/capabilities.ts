import type { Clock } from './clock.js'
import { SignerError } from './errors.js'

/** The capabilities of a caller, granted and capped one by one: the right to sign does not include export. */
export const capabilities = ['keys', 'sign', 'act', 'export'] as const
export type Capability = (typeof capabilities)[number]

export interface Guard {
  /** Takes `count` units of a capability, or throws 403 or 429. */
  take(capability: Capability, count: number): void
}

/** A bucket per capability: a minute's allowance at most at once, refilled evenly. */
export function openGuard(
  granted: ReadonlySet<Capability>,
  perMinute: Record<Capability, number>,
  clock: Clock,
): Guard {
  const buckets = new Map(capabilities.map((name) => [name, { left: perMinute[name], at: clock() }]))
  return {
    take(capability, count) {
      if (!granted.has(capability)) {
        throw new SignerError(403, 'capability_missing', `This signer does not grant ${capability}.`)
      }
      const bucket = buckets.get(capability)
      if (bucket === undefined) return
      const now = clock()
      const refilled = bucket.left + (Math.max(0, now - bucket.at) * perMinute[capability]) / 60_000
      bucket.left = Math.min(perMinute[capability], refilled)
      bucket.at = now
      if (bucket.left < count) {
        throw new SignerError(429, 'rate_capped', `No more than ${perMinute[capability]} of ${capability} a minute.`)
      }
      bucket.left -= count
    },
  }
}
