import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { secretsFrom } from '@accredit/process/secret-files'
import { readConfig } from './config.js'
import { prepareQueue } from './ledger/write/queue-schema.js'
import { migrate } from './platform/database/migrate.js'
import { openDatabase } from './platform/database/open-database.js'
import { servicePool } from './platform/database/pool.js'
import { runProcess } from './platform/process/process.js'
import { prepareServiceKey } from './platform/security/service-key.js'

/**
 * Brings the schemas of the service and of the queue up to date, as the migration role, and makes the service key of a
 * new database. With `--only A,B` it applies these migrations alone: a restored copy brings the rows.
 */
export async function migrateCommand(): Promise<void> {
  const { only } = parseArgs({ options: { only: { type: 'string' } } }).values
  const { database, redisUrl, serviceKeyFile } = readConfig(secretsFrom(process.env))
  const warn = (message: string): void => void process.stderr.write(`migrate: ${message}\n`)
  const urls = { migrationUrl: database.migrationUrl, tenantUrl: database.url, systemUrl: database.systemUrl }
  if (only !== undefined) return void (await migrate({ ...urls, warn, only: new Set(only.split(',')) }))
  const applied = await migrate({ ...urls, warn })
  if (!redisUrl) await prepareQueue(urls)
  if (serviceKeyFile) await prepareKey(database.systemUrl, serviceKeyFile)
  process.stdout.write(`${JSON.stringify({ migrated: applied })}\n`)
}

async function prepareKey(url: string, file: string): Promise<void> {
  const pool = servicePool({ url, max: 1, applicationName: 'accredit-migrate' })
  const db = openDatabase(pool, pool)
  try {
    await prepareServiceKey(db, file)
  } finally {
    await db.close()
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await runProcess('migrate', migrateCommand)
