import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accounts } from '../accounts/operations.js'
import { accountsWorld } from '../accounts/people.testing.js'
import type { TeamId } from '../platform/database/ids.js'
import { storePlans } from './billing/store-plans.js'
import { data } from './operations.js'

const TINY_PLANS = {
  default: 'tiny',
  plans: {
    tiny: { transactions: 10, members: 2, subAccounts: 1 },
    larger: { transactions: 20, members: 5, subAccounts: 3, requests: 500 },
    hidden: { isOffered: false },
    unlimited: {},
  },
}

/** An api of accounts and their data, of a live deployment with small plans. */
export async function liveWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'accredit-plans-'))
  const file = join(folder, 'plans.json')
  writeFileSync(file, JSON.stringify(TINY_PLANS))
  const env = { ENVIRONMENT: 'production', RATE_LIMIT_REQUESTS: '0', PLANS_FILE: file }
  const world = await accountsWorld(env, [accounts, data])
  await storePlans(world.scratch.db, world.environment.config)
  return {
    ...world,
    close: () => world.close().finally(() => rmSync(folder, { recursive: true })),
    /** Makes so many things that count, each in a transaction of its own, all at once. */
    use(team: number, times: number, kind: 'credential' | 'verification' = 'credential') {
      const scope = { teams: [team as TeamId], actor: 'key:1', requestId: 'request' } as const
      return Promise.allSettled(
        Array.from({ length: times }, () => world.scratch.db.transaction(scope, async (tx) => tx.bill(kind))),
      )
    },
  }
}
