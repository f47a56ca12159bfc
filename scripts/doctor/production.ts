// Examines the production shape, with the settings of the service `prepare` in docker-compose.yml:
//   docker compose run --rm prepare node scripts/dist/doctor/production.js [--json]
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { endWith } from '../start/command.js'
import { type RoomName, roomNames, withPassword } from '../start/database/roles.js'
import { productionDatabase, productionNaming, readSecrets } from '../start/production-settings.js'
import { examine } from './examine.js'
import { tell } from './finding.js'

const projectRoot = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))

await endWith(async () => {
  const { json } = parseArgs({ options: { json: { type: 'boolean' } } }).values
  const env = readSecrets(process.env)
  const owner = productionDatabase(env)
  const naming = productionNaming(env)
  const urlOf = (room: RoomName): string => {
    const url = new URL(owner)
    url.username = naming.name(room)
    return withPassword(url.href, naming.password(room))
  }
  const { MASTER_KEY_FILE, SERVICE_KEY_FILE, LEDGER_KEY_FILE, REDIS_URL, SMTP_URL, PUBLIC_URL } = env
  const { SIGNER_URL, SIGNER_TLS_CERT_FILE } = env
  const files = { 'master.key': MASTER_KEY_FILE, 'service.key': SERVICE_KEY_FILE, 'ledger.key': LEDGER_KEY_FILE }
  const keyFiles = Object.fromEntries(
    Object.entries(files).filter((entry): entry is [string, string] => Boolean(entry[1])),
  )
  const findings = await examine({
    projectRoot,
    folders: Object.fromEntries(Object.entries(keyFiles).map(([name, file]) => [name, dirname(file)])),
    keyFiles,
    journal: env.ERASURE_JOURNAL_FILE || undefined,
    databases: { owner, ...Object.fromEntries(roomNames.map((room) => [room, urlOf(room)])) },
    apiUrl: env.API_URL ?? `http://api:${env.API_PORT ?? '3300'}`,
    publicUrl: PUBLIC_URL || undefined,
    redisUrl: REDIS_URL || undefined,
    smtpUrl: SMTP_URL || undefined,
    // Beside the signer's socket there is no certificate, and its file is empty.
    certificates: [SIGNER_URL && SIGNER_TLS_CERT_FILE].filter((file): file is string => Boolean(file)),
  })
  return tell(findings, json ?? false)
})
