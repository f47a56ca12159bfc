import { pathToFileURL } from 'node:url'
import { buildApp } from './app.js'
import { capabilities } from './capabilities.js'
import { servedBy } from './capability.js'
import { readConfig } from './config.js'
import { openEnvironment } from './environment.js'
import { onWake, openWaker } from './ledger/write/wake.js'
import { migrateCommand } from './migrate.js'
import { createLog } from './platform/process/log.js'
import { runProcess, runService, stopOnSignals, tellReady } from './platform/process/process.js'

/** The HTTP process. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = createLog(config.logLevel, 'api')
  const { environment, close } = await openEnvironment(config, log)
  const waker = openWaker(environment.db, log)
  onWake(waker.wake)
  environment.schemaChecks.start()
  environment.canonicalHashes.start()
  const app = await buildApp(environment, await servedBy(capabilities))
  stopOnSignals({
    supervised: config.supervised,
    log,
    stop: async () => {
      await app.close()
      await waker.close()
      await close()
    },
  })
  const url = await app.listen({ host: config.host, port: config.port })
  tellReady({ ready: 'api', url })
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await (process.argv[2] === 'migrate' ? runProcess('migrate', migrateCommand) : runService('api', main))
