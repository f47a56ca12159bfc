import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { Config } from './config.js'
import { openBatchRows } from './credentials/batch/batch-rows.js'
import { PASSWORD_COST } from './credentials/keeping/persisted.js'
import { openBulkPlans } from './ecosystems/bulk/bulk-plans.js'
import { openBbsThreads } from './formats/bbs/bbs-threads.js'
import { openCanonicalHashes } from './formats/json-ld/canonical/canonical-hashes.js'
import { openBabyJubJubThreads } from './formats/keys/baby-jubjub/baby-jubjub-threads.js'
import { openIndex } from './ledger/read/index-db.js'
import { openSigner } from './ledger/write/signer-door.js'
import { openWaker } from './ledger/write/wake.js'
import { openDatabase } from './platform/database/open-database.js'
import { eventSealing, tellOfEvents } from './platform/database/outgoing-events.js'
import { servicePool } from './platform/database/pool.js'
import type { Environment } from './platform/http/context.js'
import { offsetClock, systemClock } from './platform/process/clock.js'
import { systemRandom } from './platform/process/random.js'
import { guardedFetcher } from './platform/security/guarded-fetch.js'
import { guardedPoster, receiverGuard } from './platform/security/guarded-post.js'
import { checkServiceKey, keyDerivation, readServiceKey } from './platform/security/service-key.js'
import { openSchemaChecks } from './schemas/check/schema-checks.js'
import type { StatusMethods } from './status/status-methods.js'

/** Opens the services of both processes. Throws when they are given the service key of another database. */
export async function openEnvironment(
  config: Config,
  log: Logger,
): Promise<{ environment: Environment; close: () => Promise<void> }> {
  const { url, systemUrl, pool, systemPool } = config.database
  const serviceKey = config.serviceKeyFile ? readServiceKey(config.serviceKeyFile) : randomBytes(32)
  if (!config.serviceKeyFile)
    log.warn('SERVICE_KEY_FILE is not set: what is sealed now cannot be opened after a restart')
  const deriveKey = keyDerivation(serviceKey)
  const events = { ...eventSealing(deriveKey, systemRandom), stored: () => eventWaker.wake() }
  const clock = config.clockOffsetFile ? offsetClock(config.clockOffsetFile) : systemClock
  const db = openDatabase(
    servicePool({ url, max: pool, applicationName: 'accredit' }),
    servicePool({ url: systemUrl, max: systemPool, applicationName: 'accredit-system' }),
    { events, clock, isBilling: config.environment === 'production', refusesNested: config.testing },
  )
  const eventWaker = openWaker(db, log, tellOfEvents)
  if (config.serviceKeyFile)
    await checkServiceKey(db, serviceKey, config.serviceKeyFile).catch(async (error: unknown) => {
      await db.close()
      throw error
    })
  const signer = openSigner(config)
  const index = openIndex(config, clock, log)
  const schemaChecks = openSchemaChecks(config.limits.schemaMs)
  const canonicalHashes = openCanonicalHashes()
  const bbsThreads = openBbsThreads()
  const babyJubJubThreads = openBabyJubJubThreads()
  const bulkPlans = openBulkPlans()
  const batchRows = openBatchRows()
  const environment = {
    config,
    log,
    clock,
    random: systemRandom,
    db,
    signer,
    index,
    guardedFetch: guardedFetcher(),
    guardedPost: guardedPoster(receiverGuard(config.webhooks)),
    events,
    schemaChecks,
    canonicalHashes,
    bbsThreads,
    babyJubJubThreads,
    bulkPlans,
    batchRows,
    passwordCost: PASSWORD_COST,
    deriveKey,
    loadStatusMethods,
  }
  return {
    environment,
    async close() {
      await eventWaker.close()
      await Promise.all([
        signer.close(),
        index.close(),
        schemaChecks.close(),
        canonicalHashes.close(),
        bbsThreads.close(),
        babyJubJubThreads.close(),
        bulkPlans.close(),
        batchRows.close(),
      ])
      await db.close()
    },
  }
}

async function loadStatusMethods(): Promise<StatusMethods> {
  const { STATUS_METHODS, statusMethodsOf } = await import('./status/status-methods.js')
  return statusMethodsOf(STATUS_METHODS)
}
