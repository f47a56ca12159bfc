import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { Config } from './config.js'
import { openIndex } from './ledger/index-db.js'
import { openSigner } from './ledger/signer-door.js'
import { offsetClock, systemClock } from './platform/clock.js'
import type { Environment } from './platform/context.js'
import { openDatabase } from './platform/database/database.js'
import { servicePool } from './platform/database/pool.js'
import { guardedFetcher } from './platform/guarded-fetch.js'
import { eventSealing } from './platform/outgoing-events.js'
import { systemRandom } from './platform/random.js'
import { keyDerivation, loadServiceKey } from './platform/service-key.js'

/** Opens what both processes stand on. */
export function openEnvironment(config: Config, log: Logger): { environment: Environment; close: () => Promise<void> } {
  const { url, systemUrl, pool, systemPool } = config.database
  const signer = openSigner(config)
  const index = openIndex(config)
  const serviceKey = config.serviceKeyFile ? loadServiceKey(config.serviceKeyFile) : randomBytes(32)
  if (!config.serviceKeyFile)
    log.warn('SERVICE_KEY_FILE is not set: what is sealed now cannot be opened after a restart')
  const deriveKey = keyDerivation(serviceKey)
  const db = openDatabase(
    servicePool({ url, max: pool, applicationName: 'accredit' }),
    servicePool({ url: systemUrl, max: systemPool, applicationName: 'accredit-system' }),
    eventSealing(deriveKey, systemRandom),
  )
  const clock = config.clockOffsetFile ? offsetClock(config.clockOffsetFile) : systemClock
  const environment = {
    config,
    log,
    clock,
    random: systemRandom,
    db,
    signer,
    index,
    guardedFetch: guardedFetcher(),
    deriveKey,
  }
  return {
    environment,
    async close() {
      await Promise.all([signer.close(), index.close()])
      await db.close()
    },
  }
}
