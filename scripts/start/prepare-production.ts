import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { requireDatabase, requirePostgresUrl } from './database/database-failure.js'
import { prepareRooms, type RoomName, withPassword } from './database/roles.js'
import { runToEnd } from './processes/run-to-end.js'
import { messageOf, Refusal } from './refusal.js'
import { writePrivately } from './state/settings.js'

/**
 * Does the work of `npm start` before it starts the processes, for a deployment where another program starts them:
 * roles and schemas, the signer's keys and fee account, the migrations. Can be repeated at every deployment.
 */
async function prepareProduction(env: NodeJS.ProcessEnv): Promise<void> {
  const setting = (name: string): string => {
    const value = env[name]
    if (!value) throw new Refusal(`${name} is not set.`)
    return value
  }
  requirePostgresUrl(setting('MIGRATION_DATABASE_URL'), 'MIGRATION_DATABASE_URL')
  const migrationUrl = withPassword(setting('MIGRATION_DATABASE_URL'), setting('MIGRATION_DATABASE_PASSWORD'))
  await requireDatabase(migrationUrl, 'MIGRATION_DATABASE_URL')
  const rooms = await prepareRooms(migrationUrl, {
    name: (room) => `accredit_${room}`,
    password: (room: RoomName) => setting(`${room.toUpperCase()}_DATABASE_PASSWORD`),
  })
  if (!rooms.separate) throw new Refusal('The role of MIGRATION_DATABASE_URL may not create roles.')
  const projectRoot = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))
  const everything = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  const signer = { ...everything, DATABASE_URL: rooms.urls.signer }
  const { feeAccount } = await runToEnd({ projectRoot }, 'signer/dist/main.js', ['init'], signer)
  if (typeof feeAccount !== 'string') throw new Refusal('The signer did not name its fee account.')
  await writePrivately(setting('FEE_ACCOUNT_FILE'), `${feeAccount}\n`)
  const api = { ...everything, DATABASE_URL: rooms.urls.api, MIGRATION_DATABASE_URL: migrationUrl }
  await runToEnd({ projectRoot }, 'api/dist/migrate.js', [], api)
  console.log(`Prepared. The fee account is ${feeAccount}.`)
}

prepareProduction(process.env).catch((error: unknown) => {
  console.error(messageOf(error))
  process.exit(1)
})
