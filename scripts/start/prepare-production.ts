import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endWith } from './command.js'
import { requireDatabase } from './database/database-failure.js'
import { prepareRooms } from './database/roles.js'
import { runToEnd } from './processes/run-to-end.js'
import { productionDatabase, productionNaming, readSecrets, required } from './production-settings.js'
import { Refusal } from './refusal.js'
import { writePrivately } from './state/settings.js'

/**
 * Does the work of `npm start` before it starts the processes, for a deployment where another program starts them:
 * roles and schemas, the signer's keys and fee account, the migrations. Can be repeated at every deployment.
 */
async function prepareProduction(env: Record<string, string>): Promise<void> {
  const migrationUrl = productionDatabase(env)
  await requireDatabase(migrationUrl, 'MIGRATION_DATABASE_URL')
  const rooms = await prepareRooms(migrationUrl, productionNaming(env))
  if (!rooms.separate) throw new Refusal('The role of MIGRATION_DATABASE_URL may not create roles.')
  const projectRoot = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))
  const signer = { ...env, DATABASE_URL: rooms.urls.signer }
  const api = { ...env, DATABASE_URL: rooms.urls.api, MIGRATION_DATABASE_URL: migrationUrl }
  const [{ feeAccount }] = await Promise.all([
    runToEnd({ projectRoot }, 'signer/dist/main.js', ['init'], signer),
    runToEnd({ projectRoot }, 'api/dist/migrate.js', [], api),
  ])
  if (typeof feeAccount !== 'string') throw new Refusal('The signer did not name its fee account.')
  await writePrivately(required(env, 'FEE_ACCOUNT_FILE'), `${feeAccount}\n`)
  console.log(`Prepared. The fee account is ${feeAccount}.`)
}

await endWith(async () => {
  await prepareProduction(readSecrets(process.env))
  return 0
})
