import pg from 'pg'
import { type Measured, measure } from './measure.js'
import type { ProcessorMeter, ProcessorTime } from './processor-time.js'
import { openServiceDatabase } from './source-modules.js'

const ROUNDS = 20
const TRANSACTIONS = 500

interface Billing {
  databaseUrl: string
  team: number
  meter: ProcessorMeter
  print(measured: Measured): void
}

/** Measures what counting adds to a transaction: those that are counted and those that are not take turns. */
export async function measureBilling({ databaseUrl, team, meter, print }: Billing): Promise<void> {
  const planned = await withPlan(databaseUrl)
  const kinds = await Promise.all(
    [false, true].map(async (isBilling) => ({
      title: `A transaction that writes a row, ${isBilling ? 'counted in a plan' : 'not counted'}`,
      database: await openServiceDatabase(databaseUrl, isBilling),
      rounds: [] as Measured[],
    })),
  )
  try {
    for (let round = -1; round < ROUNDS; round++)
      for (const { title, database, rounds } of kinds) {
        const { measured } = await measure(title, TRANSACTIONS, 1, () => database.write(team), meter)
        // The first one warms up.
        if (round >= 0) rounds.push(measured)
      }
    const [alone, counted] = kinds.map(({ rounds }) => together(rounds))
    if (!alone || !counted) return
    const more = 1000 / counted.perSecond - 1000 / alone.perSecond
    print(alone)
    print({ ...counted, title: `${counted.title} (${more > 0 ? '+' : ''}${more.toFixed(3)} ms)` })
  } finally {
    for (const { database } of kinds) await database.close()
    await planned.end()
  }
}

/** Plans count in the database once there is one. */
async function withPlan(databaseUrl: string): Promise<{ end(): Promise<void> }> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(
    `insert into service.plans (name, is_default, transactions) values ('bench', true, 1000000000) on conflict do nothing`,
  )
  return {
    end: async () => {
      await client.query(`delete from service.plans where name = 'bench'`)
      await client.end()
    },
  }
}

/** The middle one of the rounds, with the processor time of all. */
function together(rounds: readonly Measured[]): Measured {
  const middle = (of: (round: Measured) => number): number =>
    rounds.map(of).sort((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? 0
  const times = rounds.map(({ processorTime = {} }) => processorTime)
  const processorTime: ProcessorTime = Object.fromEntries(
    Object.keys(times[0] ?? {}).map((name) => [
      name,
      times.reduce((sum, time) => sum + (time[name] ?? 0), 0) / times.length,
    ]),
  )
  return {
    title: rounds[0]?.title ?? '',
    count: rounds.reduce((sum, { count }) => sum + count, 0),
    perSecond: middle(({ perSecond }) => perSecond),
    p50: middle(({ p50 }) => p50),
    p95: middle(({ p95 }) => p95),
    processorTime,
  }
}
