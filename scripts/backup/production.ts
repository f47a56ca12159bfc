// Copies and restores the production shape, whose settings are those of the service `prepare` in docker-compose.yml:
//   node scripts/dist/backup/production.js backup FOLDER
//   node scripts/dist/backup/production.js restore FOLDER [--keys FOLDER] [--journal FILE] [--complete]
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { endWith } from '../start/command.js'
import { requireDatabase } from '../start/database/database-failure.js'
import { productionDatabase, productionNaming, readSecrets, required } from '../start/production-settings.js'
import { Refusal } from '../start/refusal.js'
import { backUp } from './back-up.js'
import { addJournal, countLines } from './journal.js'
import { openCopy, requireEmptyDatabase, restore } from './restore.js'
import { isSignerAlone } from './rooms.js'
import { tellBackup } from './words.js'

const USAGE = `production.js backup FOLDER
production.js restore FOLDER [--keys FOLDER] [--journal FILE] [--complete]
  --journal FILE   the newest journal of erasures and revoked keys; that of ERASURE_JOURNAL_FILE is used without this`

const projectRoot = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))

await endWith(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { keys: { type: 'string' }, journal: { type: 'string' }, complete: { type: 'boolean' } },
  })
  const [command, given, ...more] = positionals
  if (given === undefined || more.length > 0) throw new Refusal(USAGE)
  const env = readSecrets(process.env)
  const databaseUrl = productionDatabase(env)
  const environment = env.ENVIRONMENT ?? 'production'
  const folder = resolve(given)
  const shape = { isOnNetwork: Boolean(env.LEDGER_URLS?.trim()), isSignerElsewhere: Boolean(env.SIGNER_URL?.trim()) }
  const keyFiles = keyFilesOf(env)
  await requireDatabase(databaseUrl, 'MIGRATION_DATABASE_URL')
  if (command === 'backup') {
    const manifest = await backUp({ projectRoot, databaseUrl, environment, shape, keyFiles }, folder)
    console.log(tellBackup(folder, manifest, env.ERASURE_JOURNAL_FILE))
    return 0
  }
  if (command !== 'restore') throw new Refusal(USAGE)
  await requireEmptyDatabase(databaseUrl)
  const taken = Object.values(keyFiles).find(existsSync)
  if (taken !== undefined)
    throw new Refusal(`${taken} is there already: a copy never overwrites the keys of another installation.`)
  const naming = productionNaming(env)
  const target = { projectRoot, databaseUrl, environment, naming, shape, keyFiles, settings: env }
  const copy = await openCopy(folder, values.keys ?? join(folder, 'keys'), target)
  if (values.journal !== undefined)
    await addJournal(projectRoot, resolve(values.journal), required(env, 'ERASURE_JOURNAL_FILE'))
  // A damaged journal is told before anything is written.
  else if (env.ERASURE_JOURNAL_FILE) await countLines(projectRoot, [env.ERASURE_JOURNAL_FILE])
  const later = { isComplete: values.complete ?? false }
  for (const sentence of await restore(copy, target, later)) console.log(sentence)
  const services = isSignerAlone(copy.manifest.rooms ?? []) ? ' signer-tls' : ''
  console.log(`Restored as of ${copy.manifest.made}. docker compose up -d${services} brings it back.`)
  return 0
})

/** The places of the key files, as the processes' own settings name them. */
function keyFilesOf({
  MASTER_KEY_FILE,
  SERVICE_KEY_FILE,
  LEDGER_KEY_FILE,
}: Record<string, string>): Record<string, string> {
  const named = { 'master.key': MASTER_KEY_FILE, 'service.key': SERVICE_KEY_FILE, 'ledger.key': LEDGER_KEY_FILE }
  return Object.fromEntries(Object.entries(named).filter((entry): entry is [string, string] => Boolean(entry[1])))
}
