import type { Config } from '../../../config.js'

/** Says the limits of a deployment in a sentence, for whoever starts it. */
export function saidLimits({ environment, limits, plans }: Pick<Config, 'environment' | 'limits' | 'plans'>): string {
  const { requests, windowSeconds, inWork, inWorkPerCaller, waiting, waitingPerAddress, connectionsPerAddress } = limits
  const keys =
    environment === 'sandbox'
      ? 'keys are unlimited, and no plan counts (sandbox)'
      : `${requests === 0 ? 'keys are unlimited' : `${requests} requests of a key in ${windowSeconds} seconds`}, plan ${plans.default.name} unless a team has another`
  return `limits: ${keys}; ${inWork} requests in work, ${inWorkPerCaller} of one address or team; ${waiting} waiting and ${waitingPerAddress} of one address; ${connectionsPerAddress} connections of one address; ${limits.wrongKeysPerMinute} wrong keys of one address a minute`
}
