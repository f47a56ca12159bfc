import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** The metrics of the work of the process of jobs; served where WORKER_METRICS_PORT is set. */
export const workMetrics = new Registry()

export const deliverySeconds = new Histogram({
  name: 'accredit_webhook_delivery_seconds',
  help: 'Time of a try to tell a web hook, by its result: delivered, failed, gone',
  labelNames: ['result'] as const,
  buckets: [0.01, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10, 30],
  registers: [workMetrics],
})

export const deliveriesDead = new Counter({
  name: 'accredit_webhook_deliveries_dead_total',
  help: 'Deliveries that were given up, since their receiver failed for too long or wants nothing more',
  registers: [workMetrics],
})

export const journalStands = new Gauge({
  name: 'accredit_erasure_journal_stands',
  help: '1 while the journal of erasures could not be applied: this database may have what was erased',
  registers: [workMetrics],
})

export const jobsEnded = new Counter({
  name: 'accredit_jobs_ended_total',
  help: 'Jobs whose end was stored, by kind and status',
  labelNames: ['kind', 'status'] as const,
  registers: [workMetrics],
})

export const actionsRelayed = new Counter({
  name: 'accredit_ledger_actions_relayed_total',
  help: 'Actions that were handed to the signer',
  registers: [workMetrics],
})

export const ledgerStepFailures = new Counter({
  name: 'accredit_ledger_step_failures_total',
  help: 'Steps of the ledger loop that failed, and are tried again',
  labelNames: ['step'] as const,
  registers: [workMetrics],
})
