import { pathToFileURL } from 'node:url'
import { readConfig } from './config.js'
import { prepareQueue } from './ledger/queue-schema.js'
import { migrate } from './platform/database/migrate.js'
import { runProcess } from './platform/process.js'

/** Brings the schemas of the service and of the queue up to date, as the migration role. */
export async function migrateCommand(): Promise<void> {
  const { database, redisUrl } = readConfig(process.env)
  const warn = (message: string): void => void process.stderr.write(`migrate: ${message}\n`)
  const urls = { migrationUrl: database.migrationUrl, tenantUrl: database.url, systemUrl: database.systemUrl }
  const applied = await migrate({ ...urls, warn })
  if (!redisUrl) await prepareQueue(urls)
  process.stdout.write(`${JSON.stringify({ migrated: applied })}\n`)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await runProcess('migrate', migrateCommand)
