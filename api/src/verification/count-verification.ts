import { LRUCache } from 'lru-cache'
import type { Database } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import type { Context } from '../platform/http/context.js'
import { batchLoader } from '../platform/process/batch-loader.js'

type Counter = (ctx: Context) => Promise<void>

const TOGETHER = { running: 1, most: 64 }

/** The teams that are remembered; one that is forgotten gets a new counter. */
const MOST_TEAMS = 1000

const counters = new WeakMap<Database, LRUCache<TeamId, Counter>>()

/**
 * Counts an answered verification for the plan of a team: those of the same moment in one transaction.
 *
 * @throws 402 where the plan has no place left
 */
export async function countVerification(ctx: Context): Promise<void> {
  if (ctx.config.environment === 'production') await counterOf(ctx.db, ctx.team)(ctx)
}

function counterOf(db: Database, team: TeamId): Counter {
  const ofTeams = counters.get(db) ?? new LRUCache<TeamId, Counter>({ max: MOST_TEAMS })
  counters.set(db, ofTeams)
  const counter = ofTeams.get(team) ?? batchLoader((answered: Context[]) => count(db, answered), TOGETHER)
  ofTeams.set(team, counter)
  return counter
}

async function count(db: Database, answered: readonly Context[]): Promise<undefined[]> {
  const [first] = answered
  if (first === undefined) return []
  await db.transaction(first.scope, async (tx) => {
    for (const { scope } of answered) tx.onBehalfOf(scope).bill('verification')
  })
  return answered.map(() => undefined)
}
