import { type Config, readConfig } from './config.js'
import { jobEffects, ledgerEffects, runners, sweeps } from './effects.js'
import { openEnvironment } from './environment.js'
import { startLedgerLoop } from './ledger/write/ledger-loop.js'
import { listen, WAKING_CHANNELS, WORK_CHANNEL } from './ledger/write/listen.js'
import { openQueueWorker } from './ledger/write/queue.js'
import { onWake } from './ledger/write/wake.js'
import { createLog } from './platform/process/log.js'
import { runService, stopOnSignals, tellReady } from './platform/process/process.js'
import { forgetExpired, startSweeper } from './platform/sweeps/sweep.js'
import { startRunners } from './runners.js'

const SWEEP_MS = 30_000

/** The process of the jobs: relay, follower, sweeps. */
async function main(): Promise<void> {
  const config = withFewConnections(readConfig(process.env))
  const log = createLog(config.logLevel, 'worker')
  const { environment, close } = await openEnvironment(config, log)
  const afterJobs = startSweeper(environment, sweeps('afterJobs'), SWEEP_MS)
  const others = [sweeps('regular'), sweeps('outward')].map((some) => startSweeper(environment, some, SWEEP_MS))
  const loop = startLedgerLoop(
    { ...environment, jobEffects, ledgerEffects },
    { pollMs: config.ledger.pollMs, onSettled: afterJobs.wake, log },
  )
  onWake(() => loop.wake({ channel: WORK_CHANNEL }))
  const running = startRunners(environment, runners)
  const ear = listen(
    config.database.systemUrl,
    [...WAKING_CHANNELS, ...running.channels],
    (heard) => {
      if (!running.wake(heard)) loop.wake(heard)
    },
    log,
  )
  const queue = await openQueueWorker(config, log, {
    hourly: () => forgetExpired(environment),
    daily: async () => {
      for (const sweep of sweeps('daily')) await sweep(environment)
    },
  })
  stopOnSignals({
    supervised: config.supervised,
    log,
    stop: async () => {
      await Promise.all([queue, ear].map((open) => open.close()))
      await Promise.all([afterJobs, ...others].map((sweeper) => sweeper.stop()))
      await Promise.all([running.stop(), loop.stop()])
      await close()
    },
  })
  tellReady({ ready: 'worker' })
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
