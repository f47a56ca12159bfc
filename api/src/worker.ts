import { switchLevelOnSignal } from '@accredit/process/log'
import type { Loop } from '@accredit/process/loop'
import { type MetricsServer, processMetrics, serveMetrics } from '@accredit/process/metrics-server'
import { secretsFrom } from '@accredit/process/secret-files'
import { startTracing } from '@accredit/process/tracing'
import { Registry } from 'prom-client'
import { type Config, readConfig } from './config.js'
import { jobEffects, leaders, ledgerEffects, runners, sweeps } from './effects.js'
import { openEnvironment } from './environment.js'
import { WAKING_CHANNELS, WORK_CHANNEL } from './ledger/write/channels.js'
import { jobWatchOf } from './ledger/write/job-watch.js'
import { startLedgerLoop } from './ledger/write/ledger-loop.js'
import { measurePools } from './ledger/write/metrics/measure-work.js'
import { openQueueWorker } from './ledger/write/queue.js'
import { onWake } from './ledger/write/wake.js'
import { listen } from './platform/database/listen.js'
import { createLog } from './platform/process/log.js'
import { runService, stopOnSignals, tellReady } from './platform/process/process.js'
import { workMetrics } from './platform/process/work-metrics.js'
import { startSweeper } from './platform/sweeps/sweep.js'
import { together } from './runners.js'

const SWEEP_MS = 30_000
const RETENTION_MS = 600_000

/** The process of the jobs: relay, follower, sweeps. */
async function main(): Promise<void> {
  const config = withFewConnections(readConfig(secretsFrom(process.env)))
  const log = createLog(config.logLevel, 'worker')
  switchLevelOnSignal(log)
  const tracing = await startTracing('accredit-worker', config.isTraced)
  const { environment, close } = await openEnvironment(config, log)
  const jobWatch = jobWatchOf(environment)
  const works: Pick<Loop, 'stop'>[] = []
  const doors: { close(): Promise<unknown> }[] = []
  let isStopping = false
  stopOnSignals({
    supervised: config.supervised,
    log,
    stop: async () => {
      isStopping = true
      await Promise.all(doors.map((door) => door.close()))
      await Promise.all(works.map((work) => work.stop()))
      await jobWatch.close()
      await close()
      await tracing.stop()
    },
  })
  const afterJobs = startSweeper(environment, sweeps('afterJobs'), SWEEP_MS)
  const others = [sweeps('regular'), sweeps('slow')].map((some) => startSweeper(environment, some, SWEEP_MS))
  others.push(startSweeper(environment, sweeps('tenMinutes'), RETENTION_MS))
  // The time of some rows came to its end while no worker ran, and readers of the status page ask for one that does.
  for (const sweeper of others) sweeper.wake()
  works.push(afterJobs, ...others)
  const metrics = await serveWorkMetrics(config)
  if (metrics) doors.push(metrics)
  const leading = leaders.map((start) => start(environment))
  works.push(together(leading))
  // A restored copy has mails to people who were erased since, and more that is not to be done: it learns of that first.
  await Promise.all(leading.map(({ ready }) => ready))
  if (isStopping) return
  const running = together([...leading, ...runners.map((start) => start(environment))])
  const outward = startSweeper(environment, sweeps('outward'), SWEEP_MS)
  outward.wake()
  works.push(running, outward)
  const loop = startLedgerLoop(
    { ...environment, jobEffects, ledgerEffects },
    { pollMs: config.ledger.pollMs, onSettled: afterJobs.wake, log },
  )
  works.push(loop)
  onWake(() => loop.wake({ channel: WORK_CHANNEL }))
  const ear = listen(
    config.database.systemUrl,
    [...WAKING_CHANNELS, ...running.channels],
    (heard) => {
      if (!running.wake(heard)) loop.wake(heard)
    },
    log,
  )
  doors.push(ear)
  const queue = await openQueueWorker(config, log, {
    daily: async () => {
      for (const sweep of sweeps('daily')) await sweep(environment)
    },
  })
  doors.push(queue)
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
