import { processMetrics, serveMetrics } from '@accredit/process/metrics-server'
import type { Client } from 'pg'
import { Counter, Gauge, Histogram } from 'prom-client'
import type { Config } from './config'

export interface IndexMetrics {
  /** Counts what was written; `since` is when its writing began, in ms since 1970. */
  written(batch: { events: number; since: number }): void
}

interface Seen {
  indexed: number | null
  final: number | null
  behind: number
}

/** Serves metrics to Prometheus where INDEXER_METRICS_PORT is set. */
export async function openMetrics({ metrics }: Pick<Config, 'metrics'>, client: Client): Promise<IndexMetrics> {
  if (metrics === undefined) return { written: () => undefined }
  const registry = processMetrics()
  const registers = [registry]
  const events = new Counter({ name: 'accredit_indexer_events_total', help: 'Events that were written', registers })
  const seconds = new Histogram({
    name: 'accredit_indexer_write_seconds',
    help: 'Time to write a batch of blocks',
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers,
  })
  new Gauge({
    name: 'accredit_indexer_block',
    help: 'The newest block: indexed, and final as the node last told',
    labelNames: ['point'],
    registers,
    async collect() {
      const { indexed, final } = await seen(client)
      this.set({ point: 'indexed' }, indexed ?? Number.NaN)
      this.set({ point: 'final' }, final ?? Number.NaN)
    },
  })
  new Gauge({
    name: 'accredit_indexer_behind_seconds',
    help: 'Time since a final block waits to be indexed',
    registers,
    async collect() {
      this.set((await seen(client)).behind)
    },
  })
  await serveMetrics(registry, metrics.host, metrics.port)
  return {
    written(batch) {
      events.inc(batch.events)
      seconds.observe((Date.now() - batch.since) / 1000)
    },
  }
}

async function seen(client: Client): Promise<Seen> {
  const { rows } = await client.query<Seen>(`SELECT (SELECT max(height) FROM block) AS indexed,
    (SELECT max(height) FROM finality) AS final,
    coalesce((SELECT extract(epoch FROM now() - behind_since) FROM finality LIMIT 1), 0)::float8 AS behind`)
  return rows[0] ?? { indexed: null, final: null, behind: Number.NaN }
}
