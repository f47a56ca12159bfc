import './health.tables.js'
import { staleness } from '../ledger/read/index-db.js'
import type { Environment } from '../platform/http/context.js'
import { within } from '../platform/process/deadline.js'
import type { Sweep } from '../platform/sweeps/sweep.js'
import { type Checked, forgetOldIncidents, isDelivering, noteHealth } from './incident.store.js'

const ANSWER_MS = 5000

export type HealthServices = Pick<Environment, 'signer' | 'index' | 'db' | 'clock'>

/** Looks at the parts of the service. Whatever does not answer is not well. */
export async function checkHealth({ signer, index, db, clock }: HealthServices): Promise<Checked[]> {
  const asks = async (ask: () => Promise<boolean>): Promise<boolean> => within(ANSWER_MS, ask).catch(() => false)
  const chain = await within(ANSWER_MS, () => signer.chainStatus()).catch(() => undefined)
  const [isIndexed, isTold] = await Promise.all([
    asks(async () => staleness(index, await index.head()) === undefined),
    asks(() => db.read('system', (reader) => isDelivering(reader, clock.now()))),
  ])
  return [
    { component: 'signer', isWell: chain !== undefined },
    { component: 'index', isWell: isIndexed },
    // Without an answer nothing is known of the fees.
    ...(chain === undefined ? [] : [{ component: 'fees' as const, isWell: !chain.fees.isPoor }]),
    { component: 'webhooks', isWell: isTold },
  ]
}

/** Looks at all parts, and stores what was not well. */
export const sweepHealth: Sweep = async (environment) => {
  const seen = await checkHealth(environment)
  await environment.db.transaction('system', (tx) => noteHealth(tx, seen, environment.clock.now()))
}

export const forgetIncidents: Sweep = async ({ db, clock }) => {
  await db.transaction('system', (tx) => forgetOldIncidents(tx, clock.now()).then(() => undefined))
}
