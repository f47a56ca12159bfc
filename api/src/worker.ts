import { switchLevelOnSignal } from '@accredit/process/log'
import { type MetricsServer, processMetrics, serveMetrics } from '@accredit/process/metrics-server'
import { secretsFrom } from '@accredit/process/secret-files'
import { startTracing } from '@accredit/process/tracing'
import { Registry } from 'prom-client'
import { type Config, readConfig } from './config.js'
import { jobEffects, ledgerEffects, runners, sweeps } from './effects.js'
import { openEnvironment } from './environment.js'
import { startLedgerLoop } from './ledger/write/ledger-loop.js'
import { listen, WAKING_CHANNELS, WORK_CHANNEL } from './ledger/write/listen.js'
import { measurePools } from './ledger/write/metrics/measure-work.js'
import { openQueueWorker } from './ledger/write/queue.js'
import { onWake } from './ledger/write/wake.js'
import { createLog } from './platform/process/log.js'
import { runService, stopOnSignals, tellReady } from './platform/process/process.js'
import { workMetrics } from './platform/process/work-metrics.js'
import { startSweeper } from './platform/sweeps/sweep.js'
import { startRunners } from './runners.js'

const SWEEP_MS = 30_000
const RETENTION_MS = 600_000

/** The process of the jobs: relay, follower, sweeps. */
async function main(): Promise<void> {
  const config = withFewConnections(readConfig(secretsFrom(process.env)))
  const log = createLog(config.logLevel, 'worker')
  switchLevelOnSignal(log)
  const tracing = await startTracing('accredit-worker', config.isTraced)
  const { environment, close } = await openEnvironment(config, log)
  const afterJobs = startSweeper(environment, sweeps('afterJobs'), SWEEP_MS)
  const running = startRunners(environment, runners)
  // A restored copy has mails to people who were erased since: those of accounts wait until it knows of them.
  const outward = [() => running.ready, ...sweeps('outward')]
  const others = [sweeps('regular'), outward].map((some) => startSweeper(environment, some, SWEEP_MS))
  const retention = startSweeper(environment, sweeps('tenMinutes'), RETENTION_MS)
  others.push(retention)
  // The time of some rows came to its end while no worker ran, and readers of the status page ask for one that does.
  for (const sweeper of others) sweeper.wake()
  const loop = startLedgerLoop(
    { ...environment, jobEffects, ledgerEffects },
    { pollMs: config.ledger.pollMs, onSettled: afterJobs.wake, log },
  )
  onWake(() => loop.wake({ channel: WORK_CHANNEL }))
  const ear = listen(
    config.database.systemUrl,
    [...WAKING_CHANNELS, ...running.channels],
    (heard) => {
      if (!running.wake(heard)) loop.wake(heard)
    },
    log,
  )
  const queue = await openQueueWorker(config, log, {
    daily: async () => {
      for (const sweep of sweeps('daily')) await sweep(environment)
    },
  })
  const metrics = await serveWorkMetrics(config)
  stopOnSignals({
    supervised: config.supervised,
    log,
    stop: async () => {
      await Promise.all([queue, ear].map((open) => open.close()))
      // Some sweepers wait for a runner.
      await Promise.all([afterJobs, ...others, running, loop].map((work) => work.stop()))
      await metrics?.close()
      await close()
      await tracing.stop()
    },
  })
  tellReady({ ready: 'worker' })
}

async function serveWorkMetrics({ metrics: { workerPort, host } }: Config): Promise<MetricsServer | undefined> {
  if (workerPort === undefined) return undefined
  measurePools([workMetrics])
  return serveMetrics(Registry.merge([processMetrics(), workMetrics]), host, workerPort)
}

/** The worker's load is a handful of large statements. */
function withFewConnections(config: Config): Config {
  const { database } = config
  return {
    ...config,
    database: { ...database, pool: Math.min(database.pool, 2), systemPool: Math.min(database.systemPool, 4) },
  }
}

await runService('worker', main)
