/** Metrics for Prometheus; served where SIGNER_METRICS_PORT is set. */
import { processMetrics } from '@accredit/process/metrics-server'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { Gauge, Histogram, type Registry } from 'prom-client'
import type { StatusBoard } from './actions/chain-status.js'
import type { Db } from './database.js'

const states = ['queued', 'signed', 'submitted', 'included'] as const

export function openMetrics({ db, status }: { db: Db; status: StatusBoard }): Registry {
  const registry = processMetrics()
  const registers = [registry]
  new Gauge({
    name: 'accredit_signer_actions_open',
    help: 'Actions that are not final, by state',
    labelNames: ['state'],
    registers,
    async collect() {
      const counts = await countActions(db)
      for (const state of states) this.set({ state }, counts.get(state) ?? 0)
    },
  })
  new Gauge({
    name: 'accredit_signer_followed_block',
    help: 'The newest final block whose outcomes are stored',
    registers,
    async collect() {
      const row = await db.selectFrom('ledger').select('height').executeTakeFirst()
      this.set(row === undefined ? Number.NaN : Number(row.height))
    },
  })
  new Gauge({
    name: 'accredit_signer_ledger_connected',
    help: '1 while the ledger answers',
    registers,
    collect() {
      this.set(Number(status.isOnline))
    },
  })
  return registry
}

async function countActions(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ state: string; count: number }>`select state, count(*)::int as count
    from signer.actions where state in ('queued', 'signed', 'submitted', 'included') group by state`.execute(db)
  return new Map(rows.map(({ state, count }) => [state, count]))
}

/** Observes the time of each request, by its route and status. */
export function observeRequests(app: FastifyInstance, registry: Registry) {
  const seconds = new Histogram({
    name: 'accredit_signer_request_seconds',
    help: 'Time to answer, by route and status',
    labelNames: ['route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [registry],
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    seconds.observe({ route, status: String(reply.statusCode) }, reply.elapsedTime / 1000)
    done()
  })
}
