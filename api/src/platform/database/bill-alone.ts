import { batchLoaderByPart } from '../process/batch-loader.js'
import type { BilledKind } from './billing.js'
import type { Database, TeamScope } from './database.js'
import type { TeamId } from './ids.js'

/** The request that is counted. */
interface Asking {
  readonly db: Database
  readonly team: TeamId
  readonly scope: TeamScope
  readonly config: { readonly environment: string }
}

interface Billed {
  ctx: Asking
  kind: BilledKind
}

const countTogether = batchLoaderByPart(count, { running: 1, most: 64 })

/**
 * Counts something for the plan of a team that stores nothing else, as an answered verification: those of the same moment
 * in one transaction.
 *
 * @throws 402 where the plan has no place left
 */
export async function billAlone(ctx: Asking, kind: BilledKind): Promise<void> {
  if (ctx.config.environment === 'production') await countTogether(ctx.db, ctx.team, { ctx, kind })
}

async function count(db: Database, some: readonly Billed[]): Promise<undefined[]> {
  const [first] = some
  if (first === undefined) return []
  await db.transaction(withoutClaim(first.ctx), async (tx) => {
    for (const { ctx, kind } of some) tx.onBehalfOf(withoutClaim(ctx)).bill(kind)
  })
  return some.map(() => undefined)
}

/** The answer of the request is stored by whoever gives it. */
function withoutClaim({ scope: { idempotency: _, ...scope } }: Asking): TeamScope {
  return scope
}
