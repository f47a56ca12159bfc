import type { IndexHead } from '../ledger/read/index-db.js'
import type { PublicContext } from '../platform/http/context.js'
import { within } from '../platform/process/deadline.js'
import { checkHealth } from './check-health.js'
import type { Component } from './health.tables.js'
import { type Incident, lastIncidents, lastLook } from './incident.store.js'

/** The worker looks every 30 seconds. */
const WORKER_MS = 120_000
const MOST_INCIDENTS = 20
const ANSWER_MS = 5000

export interface StatusFacts {
  /** The parts that were looked at, and whether each is well. */
  components: { component: Component; isWell: boolean }[]
  /** The index; undefined where it cannot be asked. */
  head: IndexHead | undefined
  incidents: Incident[]
  now: Date
}

export async function statusFacts(ctx: PublicContext): Promise<StatusFacts> {
  const now = ctx.clock.now()
  const [seen, look, incidents, head] = await Promise.all([
    checkHealth(ctx),
    ctx.db.read('public', (reader) => lastLook(reader)),
    ctx.db.read('public', (reader) => lastIncidents(reader, now, MOST_INCIDENTS)),
    within(ANSWER_MS, () => ctx.index.head()).catch(() => undefined),
  ])
  const isWorking = look !== undefined && now.getTime() - look.getTime() <= WORKER_MS
  return { components: [...seen, { component: 'worker', isWell: isWorking }], head, incidents, now }
}
