import { sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import { isExcused } from '../../../platform/database/held-teams.js'
import { poolStates } from '../../../platform/database/pool.js'
import type { Environment } from '../../../platform/http/context.js'
import { within } from '../../../platform/process/deadline.js'
import { newestFinalIndexed } from '../../read/blocks.js'

type Services = Pick<Environment, 'db' | 'index'>

const ASK_MS = 5000

/** The numbers of one scrape; NaN where they cannot be had. */
interface Work {
  todo: number
  in_progress: number
  stuck: number
  pending: number
  accepted: number
  included: number
  waiting: number
  dead: number
  oldest: number
  forgetting: number
  events: number
}

const NOTHING_KNOWN: Work = {
  todo: Number.NaN,
  in_progress: Number.NaN,
  stuck: Number.NaN,
  pending: Number.NaN,
  accepted: Number.NaN,
  included: Number.NaN,
  waiting: Number.NaN,
  dead: Number.NaN,
  oldest: Number.NaN,
  forgetting: Number.NaN,
  events: Number.NaN,
}

/** Metrics of what waits in the database, and of the index: the same from each replica. */
export function measureWork(registry: Registry, { db, index }: Services): void {
  const registers = [registry]
  const asked = atOnce(() => within(ASK_MS, () => askWork(db)).catch(() => NOTHING_KNOWN))
  const heads = atOnce(() => within(ASK_MS, () => index.head()).catch(() => undefined))
  const labelled = (name: string, help: string, label: string, values: readonly (keyof Work)[]) =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers,
      async collect() {
        const work = await asked()
        for (const value of values) this.set({ [label]: value }, work[value])
      },
    })
  const single = (name: string, help: string, read: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read())
      },
    })
  labelled('accredit_jobs_open', 'Jobs that have not ended, by status', 'status', ['todo', 'in_progress'])
  labelled('accredit_ledger_actions_open', 'Actions on their way, by state', 'state', [
    'pending',
    'accepted',
    'included',
  ])
  labelled('accredit_webhook_deliveries', 'Deliveries that wait, or were given up', 'state', ['waiting', 'dead'])
  single('accredit_jobs_stuck', 'Jobs whose end is tried by request alone', async () => (await asked()).stuck)
  single(
    'accredit_webhook_oldest_due_seconds',
    'Age of the delivery that is due for longest',
    async () => (await asked()).oldest,
  )
  single(
    'accredit_forgetting_oldest_open_seconds',
    'Age of the oldest deletion or erasure that has not ended',
    async () => (await asked()).forgetting,
  )
  single(
    'accredit_follower_behind_blocks',
    'Final and indexed blocks that were not followed yet',
    async () => (await asked()).events,
  )
  single(
    'accredit_index_lag_seconds',
    'Age of the oldest final block that is not indexed; on a network of validators that of the newest final block',
    async () => ((await heads())?.lagMs ?? Number.NaN) / 1000,
  )
  single('accredit_index_block', 'The newest indexed block', async () => (await heads())?.newest.block ?? Number.NaN)
  single(
    'accredit_ledger_final_block',
    'The newest final block',
    async () => (await heads())?.finalHeight ?? Number.NaN,
  )
  measurePools(registers)
}

export function measurePools(registers: Registry[]): void {
  new Gauge({
    name: 'accredit_database_connections',
    help: 'Connections of each pool: in use, idle; and callers that wait for one',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const { name: pool, total, idle, waiting } of poolStates()) {
        this.set({ pool, state: 'used' }, total - idle)
        this.set({ pool, state: 'idle' }, idle)
        this.set({ pool, state: 'waiting' }, waiting)
      }
    },
  })
}

/** All gauges of a scrape share one answer. */
function atOnce<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return () => {
    asked ??= ask().finally(() => {
      asked = undefined
    })
    return asked
  }
}

async function askWork(db: Services['db']): Promise<Work> {
  const { rows } = await db.read('system', (reader) =>
    sql<Work>`
      select j.*, a.*, d.*, f.*,
        coalesce((select greatest(0, ${newestFinalIndexed} - c.block) from service.follower_cursor c where c.id = 'ledger'), 0)::int as events
      from (select count(*) filter (where status = 'todo')::int as todo,
          count(*) filter (where status = 'in_progress')::int as in_progress
        from service.jobs where status in ('todo', 'in_progress')) j,
        (select count(*) filter (where state = 'pending')::int as pending,
          count(*) filter (where state = 'accepted')::int as accepted,
          count(*) filter (where state = 'included')::int as included,
          count(distinct job_id) filter (where retry_at = 'infinity')::int as stuck
        from service.ledger_actions where state in ('pending', 'accepted', 'included')) a,
        (select (select count(*) from service.webhook_deliveries where state = 'waiting')::int as waiting,
          (select count(*) from service.webhook_deliveries where state = 'dead')::int as dead,
          coalesce((select extract(epoch from now() - greatest(d.due, d.created)) from service.webhook_deliveries d
            where d.state = 'waiting' and d.due <= now() and not ${isExcused(sql`d.team_id`, sql`now()`)} order by d.due limit 1), 0)::float8 as oldest) d,
        (select greatest(0, extract(epoch from now() - least(
            (select min(started) from service.deletions where ended is null),
            (select min(started) from service.erasures where ended is null))))::float8 as forgetting) f`.execute(
      reader,
    ),
  )
  return rows[0] ?? NOTHING_KNOWN
}
