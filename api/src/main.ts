import { pathToFileURL } from 'node:url'
import { switchLevelOnSignal } from '@accredit/process/log'
import { secretsFrom } from '@accredit/process/secret-files'
import { startTracing } from '@accredit/process/tracing'
import { buildApp } from './app.js'
import { capabilities } from './capabilities.js'
import { servedBy } from './capability.js'
import { readConfig } from './config.js'
import { storePlans } from './data/billing/store-plans.js'
import { openEnvironment } from './environment.js'
import { onWake, openWaker } from './ledger/write/wake.js'
import { saidLimits } from './platform/http/admission/said-limits.js'
import { createLog } from './platform/process/log.js'
import { runProcess, runService, stopOnSignals, tellReady } from './platform/process/process.js'

/** The HTTP process. */
async function main(): Promise<void> {
  const config = readConfig(secretsFrom(process.env))
  const log = createLog(config.logLevel, 'api')
  switchLevelOnSignal(log)
  const tracing = await startTracing('accredit-api', config.isTraced)
  const { environment, close } = await openEnvironment(config, log)
  const waker = openWaker(environment.db, log)
  onWake(waker.wake)
  await storePlans(environment.db, config)
  const app = await buildApp(environment, await servedBy(capabilities))
  stopOnSignals({
    supervised: config.supervised,
    log,
    stop: async () => {
      await app.close()
      await waker.close()
      await close()
      await tracing.stop()
    },
  })
  const url = await app.listen({ host: config.host, port: config.port })
  log.info(saidLimits(config))
  tellReady({ ready: 'api', url })
}

/** Only this command needs the package of the queue, which takes an eighth of what the service takes to load. */
const migrate = async (): Promise<void> => (await import('./migrate.js')).migrateCommand()

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await (process.argv[2] === 'migrate' ? runProcess('migrate', migrate) : runService('api', main))
